import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { lastHash } from '../../../../../src/engine/record/chain/hashChain.ts';
import { verifyRecord } from '../../../../../src/engine/record/chain/verify.ts';
import { serializeRecordLine } from '../../../../../src/formats/record.ts';
import {
  aSession,
  appendAll,
  entryLine,
  sessionId,
  temporaryStore,
  wholeSession,
} from '../../../../support/sessions/records.ts';
import { isWindows } from '../../../../support/platform.ts';
import { skip } from '../../../../support/skip.ts';

describe('the hash chain of a record', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  let file = '';
  beforeEach(async () => {
    place = await temporaryStore();
    file = place.store.path(sessionId);
  });
  afterEach(() => place.remove());

  const written = async (entries: number): Promise<string[]> => {
    const writer = await place.store.create(aSession());
    await appendAll(writer, wholeSession(entries).slice(2));
    await writer.close();
    return (await readFile(file, 'utf8')).trimEnd().split('\n');
  };
  const saved = async (lines: readonly string[]) => {
    await writeFile(file, lines.map((line) => `${line}\n`).join(''));
    return verifyRecord(file);
  };
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

  it('can be verified with sha256sum only', async () => {
    const lines = await written(5);
    for (const [index, line] of lines.entries()) {
      const before = lines[index - 1];
      assert.match(line, new RegExp(`,"prev":"${before === undefined ? '0'.repeat(64) : sha256(before)}"}$`));
    }
    const found = await verifyRecord(file);
    assert.equal(found.verdict, 'intact');
    assert.equal(found.chainedFrom, 1);
    assert.equal(found.lines, lines.length);
    assert.equal(found.head, sha256(lines.at(-1) ?? ''));
    const reader = await place.store.openReader(sessionId);
    assert.equal(await reader.head(), found.head);
    await reader.close();
    assert.deepEqual([found.kept?.hash, found.kept?.line], [found.head, lines.length]);
  });

  it('names each changed line', async () => {
    const lines = await written(12);
    for (const [index, line] of lines.entries()) {
      const changed = lines.with(index, line.replace(/:(?="|\d)/, ': '));
      assert.notEqual(changed[index], line);
      const { verdict, breaks, kept: head } = await saved(changed);
      assert.deepEqual([verdict, breaks], ['altered', [{ kind: 'altered', line: index + 1 }]]);
      // Nothing comes after the last one; what was kept beside the record tells.
      assert.equal(head?.line, index === lines.length - 1 ? null : lines.length);
    }
  });

  it('names where each line was removed', async () => {
    const lines = await written(12);
    for (const index of lines.keys()) {
      const { verdict, breaks } = await saved(lines.toSpliced(index, 1));
      if (index === lines.length - 1) assert.equal(verdict, 'truncated');
      else if (index === 0) assert.deepEqual(breaks, [{ kind: 'missing_before', line: 1 }]);
      else assert.deepEqual(breaks, [{ kind: 'altered', line: index }]);
    }
  });

  it('names moved lines', async () => {
    const lines = await written(12);
    for (let index = 0; index < lines.length - 1; index += 1) {
      const [first = '', second = ''] = lines.slice(index);
      const { verdict, breaks } = await saved(lines.toSpliced(index, 2, second, first));
      assert.equal(verdict, 'altered', `${index}`);
      assert.ok(
        breaks.some(({ line }) => line === index + 1 || line === index + 2),
        JSON.stringify(breaks),
      );
    }
  });

  it('names each inserted line, with or without a matching hash', async () => {
    const lines = await written(12);
    const bare = serializeRecordLine(entryLine(3, 'I was never said'));
    for (let index = 1; index < lines.length; index += 1) {
      const fitting = bare.replace(/\}$/, `,"prev":"${sha256(lines[index - 1] ?? '')}"}`);
      for (const line of [bare, fitting]) {
        const { verdict, breaks } = await saved(lines.toSpliced(index, 0, line));
        assert.equal(verdict, 'altered');
        assert.ok(
          breaks.some((chainBreak) => chainBreak.kind === 'inserted' && chainBreak.line === index + 1),
          JSON.stringify(breaks),
        );
      }
    }
  });

  it('detects a missing end, and names the last line before it', async () => {
    const lines = await written(12);
    for (let length = 1; length < lines.length; length += 1) {
      const { verdict, lines: count } = await saved(lines.slice(0, length));
      assert.deepEqual([verdict, count], ['truncated', length]);
    }
    const folder = path.dirname(file);
    await rm(path.join(folder, 'record.head'));
    const found = await saved(lines.slice(0, 5));
    assert.deepEqual([found.verdict, found.kept], ['truncated', null]);
    // Of a copy without anything beside it no one knows how long it was.
    await rm(path.join(folder, 'writer.1.json'));
    assert.equal((await saved(lines.slice(0, 5))).verdict, 'intact');
  });

  it('is missing completely if no line can be read', async () => {
    await written(5);
    for (const text of ['', '\n\n', '\0'.repeat(512), '{"kind":"hea']) {
      await writeFile(file, text);
      const { verdict, lines, head } = await verifyRecord(file);
      assert.deepEqual([verdict, lines, head], ['truncated', 0, null], JSON.stringify(text));
      await mkdir(path.join(place.dir, 'alone'), { recursive: true });
      await writeFile(path.join(place.dir, 'alone/record.jsonl'), text);
      assert.equal((await verifyRecord(path.join(place.dir, 'alone/record.jsonl'))).verdict, 'truncated');
    }
  });

  it('continues after a crash, whose remains are named but not counted as changes', async () => {
    await written(6);
    const head = path.join(path.dirname(file), 'record.head');
    const [whole, durable] = await Promise.all([readFile(file), readFile(head)]);
    for (const left of ['{"kind":"entry","entry":{"index":6,"ti', '\u0000\u0000\u0000']) {
      await writeFile(file, whole);
      await writeFile(head, durable);
      await appendFile(file, left);
      const writer = await place.store.openWriter(sessionId);
      await writer.append(entryLine(6));
      await writer.append(entryLine(7));
      await writer.close();
      const { verdict, breaks, damaged, lines } = await verifyRecord(file);
      assert.deepEqual([verdict, breaks, damaged], ['intact', [], [lines - 2]]);
    }
  });

  it('remembers a missing end when a writer continues', async () => {
    const lines = await written(12);
    await saved(lines.slice(0, 8));
    const writer = await place.store.openWriter(sessionId);
    await writer.append(entryLine(20));
    await writer.close();
    const { verdict, cutAfter } = await verifyRecord(file);
    assert.deepEqual([verdict, cutAfter], ['truncated', 8]);
  });

  it('names a line with text that no crash leaves', async () => {
    const lines = await written(8);
    for (const change of [
      (line: string) => `ADDED ${line}`,
      (line: string) => ` ${line}`,
      (line: string) => `${line}x`,
    ]) {
      const changed = lines.map((line, at) => (at === 5 ? change(line) : line));
      const { verdict, breaks } = await saved(changed);
      assert.deepEqual([verdict, breaks], ['altered', [{ kind: 'inserted', line: 6 }]]);
    }
  });

  it('of another session is rejected', async () => {
    await written(3);
    const { verdict, breaks } = await verifyRecord(file, { session: 'ses_ffffffffffff' });
    assert.deepEqual([verdict, breaks], ['altered', [{ kind: 'other_session', line: 1 }]]);
  });

  it('continues after a line whose line end was lost in a crash', async () => {
    const before = await written(3);
    await truncate(file, (await readFile(file)).length - 1);
    assert.equal(await lastHash(file), sha256(before.at(-1) ?? ''));
    const writer = await place.store.openWriter(sessionId);
    await writer.append(entryLine(4));
    await writer.close();
    assert.equal((await verifyRecord(file)).verdict, 'intact');
  });

  it('starts in a record of an older version when it is resumed', async () => {
    const old = wholeSession(4).map(serializeRecordLine);
    await place.store.create(aSession()).then((writer) => writer.close());
    await rm(path.join(path.dirname(file), 'record.head'));
    assert.deepEqual((await saved(old)).verdict, 'unchained');
    const writer = await place.store.openWriter(sessionId);
    await writer.append(entryLine(4));
    await writer.close();
    const { verdict, chainedFrom, lines } = await verifyRecord(file);
    assert.deepEqual([verdict, chainedFrom, lines], ['intact', old.length + 1, old.length + 1]);
    const all = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const { breaks } = await saved(all.with(old.length - 1, serializeRecordLine(entryLine(3, 'changed'))));
    assert.deepEqual(breaks, [{ kind: 'altered', line: old.length }]);
  });

  it('may be longer than the saved head after a crash', async () => {
    await written(4);
    const head = await readFile(path.join(path.dirname(file), 'record.head'));
    const writer = await place.store.openWriter(sessionId);
    await writer.append(entryLine(5));
    await writer.close();
    await writeFile(path.join(path.dirname(file), 'record.head'), head);
    const { verdict, lines, breaks } = await verifyRecord(file);
    assert.deepEqual([verdict, breaks], ['altered', [{ kind: 'inserted', line: lines }]], 'it was closed');
    const lease = path.join(path.dirname(file), 'writer.2.json');
    const crashed = (await readFile(lease, 'utf8')).replace('"released":true', '"released":false');
    await writeFile(lease, crashed.replace(/"pid":\d+/, `"pid":${2 ** 22 + 5}`));
    const isStill = async (why: string): Promise<void> => {
      const found = await verifyRecord(file);
      assert.deepEqual([found.verdict, found.kept?.line], ['intact', lines - 1], why);
    };
    await isStill('it crashed');
    await place.store.archive(sessionId);
    await isStill('it crashed, and was archived');
    await place.store.unpack(sessionId);
    await isStill('it crashed, and came back');
    await (await place.store.openWriter(sessionId)).close();
    const { verdict: then, kept: known } = await verifyRecord(file);
    assert.deepEqual([then, known?.line], ['intact', lines], 'who writes next saves how far it came');
  });

  it('is not reported as changed if the head could not be saved', async () => {
    const head = path.join(path.dirname(file), 'record.head');
    const writer = await place.store.create(aSession());
    await writer.flush();
    await mkdir(`${head}.next`);
    await writer.append(entryLine(0));
    await writer.close();
    const { verdict, kept: known } = await verifyRecord(file);
    assert.deepEqual([verdict, known?.line], ['intact', 2]);
    await rm(`${head}.next`, { recursive: true });
    await (await place.store.openWriter(sessionId)).close();
    assert.equal((await verifyRecord(file)).kept?.line, 3);
  });

  it('is intact although the folder was deleted during writing', async function () {
    if (isWindows) skip(this, 'a file that is open cannot be replaced or deleted there');
    const writer = await place.store.create(aSession());
    await writer.flush();
    await rm(path.dirname(file), { recursive: true });
    await writer.close();
    const { verdict, kept: known, lines } = await verifyRecord(file);
    assert.deepEqual([verdict, known?.line, lines], ['intact', 2, 2]);
  });

  it('finds the last line of a record whatever its size', async () => {
    await written(2);
    for (const bytes of [10, 70_000, 3_000_000]) {
      const line = `{"kind":"x","text":"${'a'.repeat(bytes)}"}`;
      await appendFile(file, `${line}\n`);
      assert.equal(await lastHash(file), sha256(line));
      await appendFile(file, `${'b'.repeat(bytes)}\n`);
      assert.equal(await lastHash(file), sha256(line));
    }
    await writeFile(file, '');
    assert.equal(await lastHash(file), null);
    assert.equal(await lastHash(`${file}.none`), null);
  });
});
