import assert from 'node:assert/strict';
import { SpokenTexts } from '../../../src/agents/claude-code/texts/spokenTexts.ts';
import { LatestTexts } from '../../../src/agents/shared/normalizer/latestTexts.ts';
import { NewestEntries } from '../../../src/engine/record/read/newestEntries.ts';
import { RecentEntries } from '../../../src/engine/sessions/recentEntries.ts';
import { anEntry } from '../../support/sessions/records.ts';

describe('stored parts of long output', () => {
  const megabyte = 'x'.repeat(1024 * 1024);

  it('are the latest texts of an answer', () => {
    const texts = new LatestTexts();
    texts.set(1, 'first');
    assert.equal(texts.join('\n\n'), 'first');
    for (let index = 2; index < 20; index += 1) texts.set(index, megabyte);
    texts.set(20, 'last');
    const joined = texts.join('\n');
    assert.ok(joined.startsWith('[…]\nx') && joined.endsWith('x\nlast'));
    assert.ok(joined.length < 4.1 * megabyte.length);
    texts.set(21, megabyte.repeat(5));
    assert.equal(texts.values().length, 1);
  });

  it('are hashes of each text', () => {
    const said = new SpokenTexts();
    said.add(' The answer: Grüße. ');
    assert.ok(said.has('The answer: Grüße.'));
    assert.ok(said.has('The answer: Gr\uFFFD\uFFFD\uFFFDe.'));
    for (const other of ['The answer: Gruesse.', 'The answer: Gr\uFFFDe!', '', 'The answer'])
      assert.ok(!said.has(other));
  });

  it('are limited to the newest large entries', () => {
    const recent = new RecentEntries();
    for (let index = 0; index < 100; index += 1) {
      recent.apply([{ op: 'put', entry: { ...anEntry(index), content: megabyte } }]);
      recent.trim(true);
    }
    const saved = Array.from({ length: 100 }, (_, index) => recent.get(index)).filter((entry) => entry !== undefined);
    assert.ok(saved.length >= 1 && saved.length <= 4, `${saved.length}`);
    assert.equal(recent.get(99)?.content, megabyte);
  });

  it('are limited to the newest large entries of an open record', () => {
    const newest = new NewestEntries([]);
    for (let index = 0; index < 100; index += 1) newest.put(index, { ...anEntry(index), content: megabyte });
    newest.put(99, { ...anEntry(99), content: 'last' });
    const saved = Array.from({ length: 100 }, (_, index) => newest.get(index)).filter((entry) => entry !== undefined);
    assert.ok(saved.length >= 1 && saved.length <= 4, `${saved.length}`);
    assert.equal(newest.get(99)?.content, 'last');
  });

  it('are limited to the newest small entries of an open record', () => {
    const newest = new NewestEntries([]);
    for (let index = 0; index < 10_000; index += 1) newest.put(index, anEntry(index));
    assert.equal(newest.get(0), undefined);
    assert.deepEqual(newest.get(9999), anEntry(9999));
  });
});
