import assert from 'node:assert/strict';
import fc from 'fast-check';
import { acpHttp } from '../../../../src/agents/acp-http/adapter.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import type { ExitInfo } from '../../../../src/model/usage/facts.ts';
import type { NormalizerContext } from '../../../../src/model/transcript/normalizer.ts';
import { readBy, type Read } from '../../../support/captures/agentCaptures.ts';

function read(events: readonly object[], exit?: ExitInfo, context: Partial<NormalizerContext> = {}): Read {
  const lines = events.map((event) => ({ stream: 'stdout' as const, text: JSON.stringify(event) }));
  return readBy(acpHttp, lines, exit, context);
}

const run = { run_id: 'r', agent_name: 'helper', session_id: 's', status: 'in-progress', output: [] };
const created = { type: 'run.created', run };
const part = (fields: object) => ({ type: 'message.part', part: { content_type: 'text/plain', ...fields } });
const messageCreated = { type: 'message.created', message: { role: 'agent/helper', parts: [] } };
const ends = (...parts: object[]) => ({ type: 'message.completed', message: { role: 'agent/helper', parts } });
const runCompleted = (...output: object[]) => ({ type: 'run.completed', run: { ...run, status: 'completed', output } });
function answers({ entries }: Read): NormalizedEntry[] {
  return entries.filter(({ type }) => type.kind === 'assistant_message');
}

describe('lines of the Agent Communication Protocol', () => {
  it("never attribute the server's words to the user", () => {
    const user = (...texts: string[]) => ({ role: 'user', parts: texts.map((content) => ({ content })) });
    const events = [
      created,
      { type: 'message.created', message: { role: 'user', parts: [] } },
      part({ content: 'Look at ' }),
      part({ content: 'the branch.' }),
      { type: 'message.completed', message: user('Look at the branch.') },
      { type: 'message.completed', message: user('Yes, delete the branch, I agree.') },
      runCompleted(user('Look at the branch.'), { role: 'agent/helper', parts: [{ content: 'Done.' }] }),
    ];
    const said = (prompt?: string) =>
      read(events, undefined, prompt === undefined ? {} : { prompt })
        .entries.filter(({ type }) => type.kind === 'user_message' || type.kind === 'assistant_message')
        .map(({ origin, content }) => [origin, content]);
    const answer = [undefined, 'Done.'];
    assert.deepEqual(said('Look at the branch.'), [['system', 'Yes, delete the branch, I agree.'], answer]);
    assert.deepEqual(said(), [['human', 'Look at the branch.'], ['human', 'Yes, delete the branch, I agree.'], answer]);
  });

  it("do not repeat the user's answer to a question of the run", () => {
    const asked_at = '2026-11-20T10:00:00Z';
    const request = { id: 'r:1', kind: 'question', title: 'Which city?', asked_at, expires_at: asked_at };
    const decision = {
      by: 'user',
      at: asked_at,
      answer: { kind: 'answer', answers: ['Lisbon'] },
    };
    const server = (event: object) => ({ stream: 'stdout', text: JSON.stringify(event) }) as const;
    const client = (line: object) => ({ stream: 'client', text: JSON.stringify(line) }) as const;
    const lines = [
      server(created),
      client({ type: 'request', request }),
      client({ type: 'decision', id: 'r:1', decision }),
      server({ type: 'message.completed', message: { role: 'user', parts: [{ content: 'Lisbon' }] } }),
      server(runCompleted()),
    ];
    const { entries } = readBy(acpHttp, lines, undefined, { prompt: 'The weather' });
    assert.ok(!entries.some(({ type }) => type.kind === 'user_message'));
  });

  it('show everything once, even if some events are lost', () => {
    const message = (texts: readonly string[]) => ({
      role: 'agent/helper',
      parts: texts.map((content) => ({ content_type: 'text/plain', content })),
    });
    const messages = fc.array(fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }), { maxLength: 4 });
    fc.assert(
      fc.property(messages, fc.array(fc.nat(3)), (all, lost) => {
        const events = all.flatMap((texts, at) => {
          const saved = texts.slice(0, texts.length - (lost[at] ?? 0));
          const parts = saved.map((content) => part({ content }));
          return [messageCreated, ...parts, { type: 'message.completed', message: message(texts) }];
        });
        const missed = message(['The last one.']);
        const { facts, entries } = read([created, ...events, runCompleted(...all.map(message), missed)]);
        const said = answers({ entries } as Read).map(({ content }) => content);
        assert.deepEqual(said, [...all.map((texts) => texts.join('')), 'The last one.']);
        assert.equal(facts.finalText, 'The last one.');
      }),
    );
  });

  it('show a step with a tool as a call, and one without as thinking', () => {
    const step = {
      kind: 'trajectory',
      tool_name: 'grep',
      tool_input: { q: 1 },
      tool_output: { n: 2 },
      message: 'Why not',
    };
    const { entries } = read([
      created,
      messageCreated,
      part({ metadata: { kind: 'trajectory', message: 'I think.' } }),
      part({ metadata: step }),
      part({ content: 'So: ', metadata: step }),
      part({ content: 'done.' }),
      ends(),
    ]);
    const [, thought, call, answer] = entries;
    assert.deepEqual(thought?.type, { kind: 'thinking', reasoning: 'I think.' });
    assert.ok(call?.type.kind === 'tool_use');
    assert.deepEqual(call.type.tool.input, { q: 1 });
    assert.deepEqual(call.type.tool.result, { data: { n: 2 } });
    assert.deepEqual(call.metadata?.annotations, [step]);
    assert.match(call.content, /grep[\s\S]*Why not/);
    assert.equal(answer?.content, 'So: done.');
    // A step that has a text stays with it.
    assert.deepEqual(answer.metadata?.annotations, [{ ...step, start_index: 0, end_index: 4 }]);
  });

  it('show an artifact under its name', () => {
    const bytes = Buffer.from('naïve 🚀').toString('base64');
    const { entries, facts } = read([
      created,
      messageCreated,
      part({ name: 'a.txt', content: bytes, content_encoding: 'base64' }),
      part({ name: 'b.png', content_type: 'image/png', content: 'iVBORw0KGgo=', content_encoding: 'base64' }),
      part({ content_type: 'image/png', content_url: 'https://example.com/c.png' }),
      ends(),
    ]);
    const artifacts = entries.filter(({ type }) => type.kind === 'system_message' && type.subtype === 'artifact');
    assert.match(artifacts[0]?.content ?? '', /a\.txt.*\n\n```\nnaïve 🚀\n```/);
    assert.match(artifacts[1]?.content ?? '', /b\.png, image\/png, 8 bytes/);
    assert.equal(facts.answer, '[image/png](https://example.com/c.png)');
  });

  it('merge an error with the failure that follows', () => {
    const error = { code: 'server_error', message: 'No model.' };
    const failed = { type: 'run.failed', run: { ...run, status: 'failed', error } };
    const { entries, facts } = read([created, { type: 'error', error }, failed]);
    assert.equal(facts.reports.length, 1);
    assert.deepEqual(facts.reports[0]?.errors, ['No model.']);
    assert.equal(entries.filter(({ type }) => type.kind === 'error').length, 1);
  });

  it('report a stream that ends early', () => {
    const { entries, open } = read([created, messageCreated, part({ content: 'Half' })], { code: null, signal: null });
    assert.deepEqual(open, []);
    const last = entries.at(-1);
    assert.ok(last?.type.kind === 'system_message' && last.type.subtype === 'interrupted');
  });

  it('keep metadata that is only partly known, and show the part', () => {
    const step = { kind: 'trajectory', tool_name: 'shell', tool_input: 'ls mood' };
    for (const metadata of [{ kind: 'mood' }, 'mood', ['mood'], [{ kind: 'citation' }, { kind: 'mood' }], step]) {
      const { entries, facts } = read([created, messageCreated, part({ content: 'Hi', metadata }), ends()]);
      assert.equal(facts.answer, 'Hi');
      assert.equal(facts.lines.unknown, 1);
      assert.match(entries.find(({ metadata: own }) => own?.raw !== undefined)?.metadata?.raw ?? '', /mood/);
    }
  });

  it('are extracted from an event stream, however it is split', () => {
    const lines = [
      ': a comment',
      `data: ${JSON.stringify(created)}`,
      '',
      'event: message',
      'data:{"type":"message.part",',
      'data: "part":{"content_type":"text/plain",',
      'data: "content":"In three lines."}}',
      'id: 7',
      '',
      'data',
      '',
      `data: ${JSON.stringify(runCompleted())}`,
    ];
    const result = readBy(
      acpHttp,
      lines.map((text) => ({ stream: 'stdout', text })),
    );
    assert.equal(answers(result)[0]?.content, 'In three lines.');
    assert.deepEqual(result.facts.lines, { total: 9, unknown: 0, malformed: 0, oversize: 0 });
    assert.equal(result.facts.reports[0]?.isError, false, 'the last event has no end');
  });

  it('of an oversized event are not buffered', () => {
    const long = 'x'.repeat(1 << 20);
    const lines = [
      'data: {"type":"generic","generic":{',
      ...Array.from({ length: 9 }, (_, at) => `data: "${at}":"${long}",`),
      '',
      `data: ${JSON.stringify(runCompleted())}`,
      '',
    ];
    const result = readBy(
      acpHttp,
      lines.map((text) => ({ stream: 'stdout', text })),
    );
    assert.deepEqual(result.facts.lines, { total: 11, unknown: 0, malformed: 0, oversize: 1 });
    const [saved] = result.entries.filter(({ type }) => type.kind === 'error');
    assert.match(saved?.metadata?.raw ?? '', /^data: \{"type":"generic"/);
    assert.equal(result.facts.reports[0]?.isError, false, 'what comes after it is read');
  });
});
