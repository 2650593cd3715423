import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { exportFormats } from '../../../../src/formats/export/formats.ts';
import { redactedSource } from '../../../../src/formats/export/shared/redacted.ts';
import { Redactor } from '../../../../src/formats/redaction/redactor.ts';
import { exportText, sourceOf } from '../../../support/sessions/exported.ts';
import { aRun, aSummary, time } from '../../../support/sessions/records.ts';
import { aSecret } from '../../../support/hostile/secrets.ts';

const aRedactor = () => new Redactor((secret) => createHmac('sha256', 'key').update(secret).digest('hex').slice(0, 8));

/** A session whose title and prompt are cut within the key that its first prompt holds. */
function cutWithin(secret: string) {
  const prompt = `\n${'Look at '.repeat(22).slice(-56)}${secret} and tell me`;
  const title = `${prompt.slice(1, 56 + secret.length)}…`;
  return sourceOf(
    [{ index: 0, timestamp: time(0), type: { kind: 'user_message' }, content: prompt, origin: 'human' }],
    {
      summary: aSummary({ title, prompt: prompt.slice(0, 56 + secret.length), entries: 1 }),
      runs: [aRun({ prompt, status: 'completed', completed_at: time(9) })],
    },
  );
}

describe('redaction: titles', () => {
  for (const family of ['github', 'npm', 'google', 'aws']) {
    it(`masks a ${family} secret that the title truncates, in every format`, async () => {
      const secret = aSecret(family, 3);
      const source = cutWithin(secret);
      for (const { id } of exportFormats) {
        const text = await exportText(id, redactedSource(source, aRedactor()));
        assert.ok(!text.includes(secret.slice(0, 12)), id);
      }
      const { summary } = redactedSource(source, aRedactor());
      assert.match(summary.title ?? '', /Look at \[redacted:[\w-]+ hmac:[0-9a-f]{8}\]…$/);
      assert.match(summary.prompt, /Look at \[redacted:[\w-]+ hmac:[0-9a-f]{8}\]$/);
    });
  }

  it('keeps a title given by the user', () => {
    const source = sourceOf([], {
      summary: aSummary({ title: 'My own title…', prompt: 'Look', entries: 0 }),
      runs: [aRun({ prompt: 'Look at it', status: 'completed', completed_at: time(9) })],
    });
    const { title, prompt } = redactedSource(source, aRedactor()).summary;
    assert.deepEqual([title, prompt], ['My own title…', 'Look']);
  });
});
