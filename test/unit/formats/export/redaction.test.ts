import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { exportFormats } from '../../../../src/formats/export/formats.ts';
import { redactedSource } from '../../../../src/formats/export/shared/redacted.ts';
import { Redactor } from '../../../../src/formats/redaction/redactor.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { aTool, exportText, sourceOf } from '../../../support/sessions/exported.ts';
import { printFuzzTotals } from '../../../support/hostile/fuzz.ts';
import { aResult, aRun, aSummary, runId, sessionId, time } from '../../../support/sessions/records.ts';
import { aSecret, embeddings, families } from '../../../support/hostile/secrets.ts';

/** A session that holds the text wherever a session can hold one. */
function leaky(text: string) {
  const entries: NormalizedEntry[] = [
    { index: 0, timestamp: time(0), type: { kind: 'user_message' }, content: text, origin: 'human' },
    { index: 1, timestamp: time(1), type: { kind: 'thinking', reasoning: text }, content: text },
    aTool(2, {
      action: { kind: 'command_run', command: text, stdout: text },
      input: { command: text, deep: [{ a: text }] },
      result: { text },
    }),
    aTool(3, {
      action: { kind: 'file_write', path: '/project/a.env', content: text },
      input: text,
      result: { data: { text } },
    }),
    aTool(4, {
      action: {
        kind: 'file_edit',
        changes: [{ path: '/project/b', kind: 'update', oldText: 'x', newText: text, patch: `@@ -1 +1 @@\n+${text}` }],
      },
    }),
    aTool(5, {
      action: { kind: 'mcp', server: 's', tool: 't', input: { [text]: text } },
      toolName: 't',
      status: 'failed',
    }),
    {
      index: 6,
      timestamp: time(6),
      type: { kind: 'system_message', subtype: 'note' },
      content: text,
      metadata: { raw: text },
    },
    { index: 7, timestamp: time(7), type: { kind: 'error', error: { message: text, stack: text } }, content: text },
    {
      index: 8,
      timestamp: time(8),
      type: { kind: 'assistant_message' },
      content: `Here: ${text}`,
      metadata: {
        synthetic: true,
        trigger_reason: text,
        annotations: [
          {
            kind: 'citation',
            start_index: 0,
            end_index: 20,
            title: text,
            description: text,
            url: `https://x.test/${encodeURI(text)}`,
          },
          { kind: 'trajectory', message: text, tool_input: { text }, tool_output: { text } },
        ],
      },
    },
  ];
  return sourceOf(entries, {
    summary: aSummary({ title: text, prompt: text, reason: text, entries: entries.length }),
    runs: [aRun({ prompt: text, error: text, status: 'failed', completed_at: time(9) })],
    results: [{ runId, metadata: aResult(0.1, { endReason: text }) }],
    events: [
      { event_type: 'pre_tool', session_id: sessionId, timestamp: time(2), tool_name: 'Bash', tool_input: { text } },
      {
        event_type: 'message',
        session_id: sessionId,
        timestamp: time(3),
        role: 'user',
        content: [{ type: 'text', text }],
      },
    ],
  });
}

const aRedactor = () => new Redactor((secret) => createHmac('sha256', 'key').update(secret).digest('hex').slice(0, 8));

describe('exports: redaction', () => {
  for (const { id } of exportFormats) {
    it(`${id} contains no secret`, async () => {
      let cases = 0;
      let leaks = 0;
      for (const [at, family] of families.entries()) {
        for (const embed of Object.values(embeddings)) {
          const secret = aSecret(family, at);
          const redactor = aRedactor();
          const text = await exportText(id, redactedSource(leaky(embed(secret)), redactor));
          cases += 1;
          if (text.includes(secret) || text.includes(secret.slice(-12))) leaks += 1;
          assert.ok(text.length > 0 && redactor.report().total > 0);
          assert.ok(!JSON.stringify(redactor.report()).includes(secret));
        }
      }
      printFuzzTotals(`${leaks} of ${cases} secrets came through`);
      assert.equal(cases, 100);
      assert.ok(leaks <= cases / 100, `${leaks} of ${cases} leaked`);
    });
  }

  it('can be turned off', async () => {
    const secret = aSecret('github', 1);
    for (const id of ['markdown', 'acp', 'atif', 'langchain', 'otlp', 'result', 'html', 'events']) {
      assert.ok((await exportText(id, leaky(secret))).includes(secret), id);
    }
  });

  it('gives the same bytes for the same key', async () => {
    const [once, again] = await Promise.all(
      [1, 2].map(() => exportText('html', redactedSource(leaky(aSecret('npm', 3)), aRedactor()))),
    );
    assert.equal(once, again);
  });
});
