import assert from 'node:assert/strict';
import { copilot } from '../../../../src/agents/copilot/adapter.ts';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import { runResult } from '../../../../src/insight/ledger/ledger.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import {
  capturesOf,
  linesOfCapture,
  readBy,
  type AgentCapture,
  type Read,
} from '../../../support/captures/agentCaptures.ts';

type Value = Record<string, unknown>;

const isValue = (value: unknown): value is Value => typeof value === 'object' && value !== null;
const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>((inner, key) => (isValue(inner) ? inner[key] : undefined), value);

const captures = capturesOf('copilot');
const json = captures.filter(({ stdout }) => stdout[0]?.startsWith('{') === true);
const textMode = captures.filter(({ stdout }) => stdout[0]?.startsWith('{') === false);
const read = (capture: AgentCapture): Read => readBy(copilot, linesOfCapture(capture), capture.exit);
const events = ({ stdout }: AgentCapture): Value[] => stdout.map((line) => JSON.parse(line) as Value);
const of = (all: readonly Value[], type: string): Value[] => all.filter((event) => event['type'] === type);
const textsOf = (entries: readonly NormalizedEntry[], kind: string): string[] =>
  entries.filter(({ type }) => type.kind === kind).map(({ content }) => content);

/** Texts by id: whole where they are, else what their pieces add up to. */
function texts(all: readonly Value[], whole: string, delta: string, id: string): string[] {
  const found = new Map<unknown, string>();
  for (const event of all) {
    const key = at(event, 'data', id);
    if (event['type'] === delta) found.set(key, (found.get(key) ?? '') + String(at(event, 'data', 'deltaContent')));
  }
  for (const event of of(all, whole)) found.set(at(event, 'data', id), String(at(event, 'data', 'content')));
  return [...found.values()].filter((text) => text !== '');
}

describe('copilot captures, recomputed from the wire', () => {
  for (const capture of json) {
    it(capture.name, () => {
      const all = events(capture);
      const { entries, facts } = read(capture);
      const tools = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));

      const asked = of(all, 'assistant.message').flatMap((event) => at(event, 'data', 'toolRequests') as Value[]);
      assert.deepEqual(
        tools.map(({ callId }) => callId),
        asked.map(({ toolCallId }) => toolCallId),
        'each call once, in order',
      );
      for (const call of tools) {
        const end = of(all, 'tool.execution_complete').find((event) => at(event, 'data', 'toolCallId') === call.callId);
        const exitCode = at(end, 'data', 'shellExecution', 'exitCode') ?? 0;
        const denied = at(end, 'data', 'error', 'code') === 'denied';
        const good = at(end, 'data', 'success') === true && exitCode === 0;
        const status = end === undefined ? 'cancelled' : good ? 'success' : denied ? 'denied' : 'failed';
        assert.equal(call.status, status, call.toolName);
        if (end === undefined) continue;
        assert.equal(call.result?.isError, at(end, 'data', 'success') !== true);
        const reported = at(end, 'data', 'result', 'content') ?? at(end, 'data', 'error', 'message');
        assert.ok(call.result.text?.includes(String(reported)));
        assert.equal(call.parentCallId, at(end, 'data', 'parentToolCallId'));
      }

      const said = texts(all, 'assistant.message', 'assistant.message_delta', 'messageId');
      // Answers that are given up and asked for again say the same until they say more.
      assert.deepEqual(new Set(textsOf(entries, 'assistant_message')), new Set(said));
      const finals = of(all, 'assistant.message').filter((event) => at(event, 'data', 'content') !== '').length;
      if (finals > 0) assert.equal(textsOf(entries, 'assistant_message').length, finals, 'once');
      const thought = texts(all, 'assistant.reasoning', 'assistant.reasoning_delta', 'reasoningId');
      assert.deepEqual(textsOf(entries, 'thinking'), thought);

      const result = all.find(({ type }) => type === 'result');
      assert.deepEqual(facts.sessionIds, result === undefined ? [] : [result['sessionId']]);
      const models = all.filter(({ agentId }) => agentId === undefined).map((event) => at(event, 'data', 'model'));
      assert.equal(facts.model, models.findLast((model) => typeof model === 'string') ?? null);
      const noise = of(all, 'session.background_tasks_changed').length;
      const folded = entries.filter(
        ({ type }) => type.kind === 'system_message' && type.subtype === 'session.background_tasks_changed',
      );
      assert.deepEqual(
        folded.map(({ metadata }) => metadata?.['count']),
        noise === 0 ? [] : [noise],
      );
      const errors = of(all, 'session.error').map((event) => at(event, 'data', 'message'));
      assert.deepEqual(
        entries.flatMap(({ type }) => (type.kind === 'error' ? [type.error.message] : [])),
        errors,
      );
    });
  }

  it('keeps the output of text mode unchanged', () => {
    for (const capture of textMode) {
      const { entries } = read(capture);
      assert.deepEqual(textsOf(entries, 'assistant_message'), [capture.stdout.join('\n')], capture.name);
    }
  });

  it('are the same without deltas', () => {
    for (const capture of json) {
      const quiet = { ...capture, stdout: capture.stdout.filter((line) => !/"type":"[a-z._]*_delta"/.test(line)) };
      if (of(events(capture), 'abort').length > 0) continue;
      const content = ({ entries }: Read): unknown => entries.map((entry) => [entry.type.kind, entry.content]).sort();
      assert.deepEqual(content(read(quiet)), content(read(capture)), capture.name);
    }
  });
});

describe('results of Copilot runs', () => {
  const capture = (name: string): AgentCapture =>
    captures.find((agentCapture) => agentCapture.name === `1.0.102/${name}`)!;

  it('count tokens from the usage file, and report a missing one', async () => {
    const prices = await loadPrices();
    const { facts, entries } = read(capture('plain-usage-output-file'));
    const { metadata } = runResult(facts, { code: 0, signal: null }, [], { prices });
    assert.deepEqual(metadata?.usage, { input: 12, output: 50, cacheRead: 2000, cacheWrite: 1000 });
    assert.equal(metadata.costProvenance.provenance, 'estimated');
    assert.equal(metadata.duration, 292);
    assert.equal(metadata.apiDuration, 23);
    assert.match(entries.at(-1)?.content ?? '', /3,062 tokens/);

    const plain = runResult(read(capture('plain')).facts, { code: 0, signal: null }, [], { prices }).metadata;
    assert.equal(plain?.costProvenance.provenance, 'unknown');
    assert.equal(plain.cost, null);
  });

  it('subtract earlier usage of the session', async () => {
    const prices = await loadPrices();
    const first = capture('plain-usage-output-file');
    const one = runResult(read(first).facts, first.exit, [], { prices }).metadata!;
    const doubled = first.usage!.replaceAll('3012', '6024').replaceAll('2000', '4000').replaceAll('1000', '2000');
    const second = { ...first, usage: doubled.replaceAll(/"outputTokens": 50/g, '"outputTokens": 80') };
    const two = runResult(read(second).facts, first.exit, [one], { prices }).metadata!;
    assert.deepEqual(two.usage, { input: 12, output: 30, cacheRead: 2000, cacheWrite: 1000 });
    assert.deepEqual(two.totalUsage, { input: 24, output: 80, cacheRead: 4000, cacheWrite: 2000 });
    assert.ok(two.totalCost! > one.totalCost!);
  });

  it('have the duration of a resumed run, not the age of its session', async () => {
    const prices = await loadPrices();
    const { facts, ...resumed } = { ...capture('resume-tools'), ...read(capture('resume-tools')) };
    const previous = read(capture('resume-continue'));
    const one = runResult(previous.facts, resumed.exit, [], { prices }).metadata!;
    const { metadata } = runResult(facts, resumed.exit, [one], { prices });
    assert.equal(metadata?.duration, 687);
    const printed = at(events(capture('resume-tools')).at(-1), 'usage', 'totalApiDurationMs') as number;
    assert.equal(metadata.apiDuration, printed - one.counters!.apiDuration!);
  });

  it('distinguish interrupted, failed and unknown sessions', async () => {
    const prices = await loadPrices();
    const reasons = Object.fromEntries(
      captures.map((agentCapture) => {
        const { facts } = read(agentCapture);
        return [
          agentCapture.name.slice('1.0.102/'.length),
          runResult(facts, agentCapture.exit, [], { prices }).metadata?.endReason,
        ];
      }),
    );
    for (const [name, reason] of Object.entries(reasons)) {
      const bad = /^error-(?!500-once)|^resume-unknown/.test(name);
      const expected = bad ? 'error' : /^sig/.test(name) ? 'interrupted' : 'completed';
      assert.equal(reason, expected, name);
    }
    assert.ok(read(capture('resume-unknown')).facts.unknownSession);
  });
});

describe('lines of Copilot that no capture has', () => {
  const line = (type: string, data: Value, overrides: Value = {}): { stream: 'stdout'; text: string } => ({
    stream: 'stdout',
    text: JSON.stringify({ type, data, timestamp: '2026-11-20T10:00:00.000Z', ...overrides }),
  });
  const delta = (messageId: string, deltaContent: string, overrides: Value = {}) =>
    line('assistant.message_delta', { messageId, deltaContent }, overrides);
  const message = (messageId: string, content: string, overrides: Value = {}) =>
    line('assistant.message', { messageId, content, ...overrides });

  it('keep an answer that was replaced with another one', () => {
    const { entries } = readBy(copilot, [
      delta('a', 'One way'),
      delta('b', 'One'),
      delta('b', ' other'),
      message('b', 'One other'),
    ]);
    assert.deepEqual(textsOf(entries, 'assistant_message'), ['One way', 'One other']);
    assert.equal(entries[0]?.metadata?.['aborted'], true);
    const longer = readBy(copilot, [
      delta('a', 'One'),
      delta('b', 'One and'),
      delta('b', ' more'),
      message('b', 'One and more'),
    ]);
    assert.deepEqual(textsOf(longer.entries, 'assistant_message'), ['One and more']);
  });

  it('keep texts of concurrent agents apart', () => {
    const sub = { agentId: 'agent-1' };
    const { entries, facts } = readBy(copilot, [
      line('subagent.started', { toolCallId: 'call-1', agentName: 'explore', model: 'small' }, sub),
      delta('m', 'Main '),
      delta('s', 'Sub ', sub),
      delta('m', 'text'),
      delta('s', 'text', sub),
      message('m', 'Main text'),
      line('assistant.message', { messageId: 's', content: 'Sub text', model: 'small' }, sub),
    ]);
    assert.deepEqual(textsOf(entries, 'assistant_message'), ['Main text', 'Sub text']);
    assert.equal(entries.find(({ content }) => content === 'Sub text')?.metadata?.parentCallId, 'call-1');
    assert.equal(facts.answer, 'Main text');
  });

  it('show a thought once, whichever of its lines arrive', () => {
    const reasoning = (id: string, content: string) => line('assistant.reasoning', { reasoningId: id, content });
    const thought = (lines: ReturnType<typeof line>[]): string[] => textsOf(readBy(copilot, lines).entries, 'thinking');
    assert.deepEqual(thought([message('m', 'x', { reasoningText: 'Hm.' })]), ['Hm.']);
    assert.deepEqual(thought([message('m', 'x', { reasoningText: 'Hm.' }), reasoning('r', 'Hm.')]), ['Hm.']);
    assert.deepEqual(thought([reasoning('r', 'Hm.'), message('m', 'x', { reasoningText: 'Hm.' })]), ['Hm.']);
    const twice = [reasoning('r', 'Hm.'), message('m', 'x', { reasoningText: 'Hm.' })];
    assert.deepEqual(thought([...twice, reasoning('q', 'Hm.'), message('n', 'y', { reasoningText: 'Hm.' })]), [
      'Hm.',
      'Hm.',
    ]);
  });

  it('read the exit code from any of the marks at the end of the output', () => {
    const marks: readonly (readonly [mark: string, code: number | undefined, status: string])[] = [
      ['<exited with exit code 0>', 0, 'success'],
      ['<exited with exit code 3>', 3, 'failed'],
      ['<shellId: 1 completed with exit code 3>', 3, 'failed'],
      ['<shellId: 1 still running>', undefined, 'success'],
    ];
    for (const [mark, code, status] of marks) {
      const { entries } = readBy(copilot, [
        line('tool.execution_start', { toolCallId: 'c', toolName: 'bash', arguments: { command: 'make' } }),
        line('tool.execution_complete', { toolCallId: 'c', success: true, result: { content: `out\n${mark}` } }),
      ]);
      const type = entries[0]?.type;
      assert.ok(type?.kind === 'tool_use' && type.tool.action.kind === 'command_run');
      const { action } = type.tool;
      assert.deepEqual([action.exitCode, action.stdout, type.tool.status], [code, 'out', status]);
    }
  });

  it('count usage per request if the session has no total', () => {
    const used = (id: string, inputTokens: number, overrides: Value = {}) =>
      line(
        'assistant.usage',
        { model: 'small', inputTokens, outputTokens: 5, cacheReadTokens: 2, cacheWriteTokens: 1 },
        { id, ...overrides },
      );
    const requests = [used('e1', 13), used('e1', 13), used('e2', 23, { agentId: 'agent-1' })];
    const { facts, entries } = readBy(copilot, [message('m', 'Hi', { model: 'large' }), ...requests]);
    assert.deepEqual(
      facts.messages.map(({ messageId, model, usage }) => [messageId, model, usage]),
      [
        ['e1', 'small', { input: 10, output: 5, cacheRead: 2, cacheWrite: 1 }],
        ['e2', 'small', { input: 20, output: 5, cacheRead: 2, cacheWrite: 1 }],
      ],
    );
    assert.equal(facts.model, 'large');
    assert.deepEqual([entries.length, facts.lines.unknown], [2, 0]);
    const usage = { inputTokens: 33, outputTokens: 10, cacheReadTokens: 4, cacheWriteTokens: 2 };
    const shutdown = line('session.shutdown', { modelMetrics: { small: { usage } }, totalApiDurationMs: 7 });
    const result = { stream: 'stdout' as const, text: JSON.stringify({ type: 'result', exitCode: 0 }) };
    const completed = readBy(copilot, [...requests, shutdown, result]).facts;
    assert.deepEqual(completed.messages, []);
    assert.deepEqual(completed.reports[0]?.models, [
      { model: 'small', input: 27, output: 10, cacheRead: 4, cacheWrite: 2 },
    ]);
    assert.equal(completed.reports[0].apiDurationMs, 7);
    const unsaid = readBy(copilot, [...requests, line('session.shutdown', { modelMetrics: {} }), result]).facts;
    assert.equal(unsaid.messages.length, 2);
  });

  it("end with the run, whatever the session's state", async () => {
    const prices = await loadPrices();
    const usage = { inputTokens: 20, outputTokens: 10 };
    const shutdown = line('session.shutdown', { shutdownType: 'error', modelMetrics: { large: { usage } } });
    const used = line('assistant.usage', { model: 'large', inputTokens: 20, outputTokens: 10 });
    for (const lines of [[message('m', 'Hi')], [message('m', 'Hi'), used, shutdown]]) {
      const { facts } = readBy(copilot, lines, { code: 0, signal: null });
      assert.deepEqual([facts.reports, facts.messages.length], [[], lines.length > 1 ? 1 : 0]);
      assert.equal(runResult(facts, { code: 0, signal: null }, [], { prices }).metadata?.endReason, 'interrupted');
    }
  });

  it("report a changed model and the session's totals", () => {
    const { entries, facts } = readBy(copilot, [
      line('session.model_change', { newModel: 'other' }),
      line('session.task_complete', { summary: 'All is **done**.' }),
      line('session.compaction_complete', { success: true, summaryContent: 'So far.' }),
      line('session.usage_record', { tokens: 1 }),
    ]);
    assert.equal(facts.model, 'other');
    assert.equal(facts.lines.unknown, 0);
    assert.deepEqual(
      entries.slice(0, 3).map(({ content }) => content),
      ['Model change: other', 'Task complete\n\nAll is **done**.', 'Compaction complete\n\nSo far.'],
    );
  });

  it('show a call that was incomplete when the run was stopped', () => {
    const piece = line('assistant.tool_call_delta', { toolCallId: 'c', toolName: 'bash', inputDelta: '{"comm' });
    const [tool] = readBy(copilot, [piece], { code: null, signal: 'SIGKILL' }).entries;
    assert.ok(
      tool?.type.kind === 'tool_use' && tool.type.tool.status === 'cancelled' && tool.type.tool.input === '{"comm',
    );
  });

  it('keep paragraphs in text mode, and drop text before JSON', () => {
    const out = (text: string) => ({ stream: 'stdout', text }) as const;
    const { entries, facts } = readBy(copilot, [out('One.'), out(''), out(''), out('{"two": 2}'), out('')]);
    assert.deepEqual(textsOf(entries, 'assistant_message'), ['One.\n\n\n{"two": 2}']);
    assert.equal(facts.finalText, 'One.\n\n\n{"two": 2}');
    const warned = readBy(copilot, [out('Warning: old.'), message('m', 'Hello.')]);
    assert.deepEqual(textsOf(warned.entries, 'assistant_message'), ['Hello.']);
    assert.equal(warned.facts.lines.malformed, 1);
  });

  it('get the session id from the log or from Vitrine only', () => {
    const id = '11111111-2222-4333-8444-555555555555';
    const log = { stream: 'log', text: `2026 [INFO] Workspace initialized: ${id} (checkpoints: 0)` } as const;
    const { entries } = readBy(copilot, [message('m', 'One.'), log, message('n', 'Two.')]);
    assert.deepEqual(
      entries.slice(0, 2).map(({ metadata }) => metadata?.sessionId),
      [undefined, id],
    );
    const chosen = readBy(copilot, [message('m', 'One.')], undefined, { sessionId: id });
    assert.equal(chosen.entries[0]?.metadata?.sessionId, id);
    assert.deepEqual(readBy(copilot, [], { code: 1, signal: null }, { sessionId: id }).facts.sessionIds, []);
  });
});

describe('the command line of copilot', () => {
  const request = { prompt: 'p', options: {}, newSessionId: '11111111-2222-4333-8444-555555555555', runFolder: '/run' };
  const args = (version: string | null, overrides = {}): readonly string[] =>
    copilot.command({ ...request, program: { version }, ...overrides }).args;

  it("uses each version's options", () => {
    assert.deepEqual(args('0.0.420'), ['--stream', 'off', '--log-dir=/run/log', '--log-level=info']);
    assert.ok(args('1.0.50').includes('--log-dir=/run/log') && args('1.0.50').includes('json'));
    assert.ok(!args('1.0.60').some((arg) => arg.startsWith('--log-dir') || arg.startsWith('--usage')));
    for (const version of ['1.0.102', null]) {
      const all = args(version);
      assert.ok(all.includes('--usage-output-file=/run/usage.json'));
      assert.ok(all.includes(`--session-id=${request.newSessionId}`));
    }
  });

  it('allows only what was requested, and resumes by id only', () => {
    assert.ok(!args(null).some((arg) => arg.startsWith('--allow')));
    assert.ok(args(null, { options: { permissionMode: 'acceptEdits' } }).includes('--allow-tool=write'));
    assert.ok(args(null, { options: { permissionMode: 'bypassPermissions' } }).includes('--allow-all-tools'));
    const resumed = args(null, { resume: request.newSessionId });
    assert.ok(resumed.includes(`--resume=${request.newSessionId}`) && !resumed.join().includes('--session-id'));
    assert.throws(() => args(null, { resume: 'my feature' }), /UUIDs/);
  });
});
