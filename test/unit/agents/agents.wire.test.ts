import assert from 'node:assert/strict';
import { findAdapter } from '../../../src/agents/registry.ts';
import { loadPrices } from '../../../src/insight/prices/prices.ts';
import { runResult } from '../../../src/insight/ledger/ledger.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import { totalTokens } from '../../../src/model/usage/usage.ts';
import {
  capturesOf,
  linesOfCapture,
  readBy,
  type AgentCapture,
  type Read,
} from '../../support/captures/agentCaptures.ts';

type Value = Record<string, unknown>;

const isValue = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>((inner, key) => (isValue(inner) ? inner[key] : undefined), value);

/** What stands on the wire, read without the code under test. */
interface Wire {
  /** Call id → whether its result is there. */
  readonly calls: Map<string, boolean>;
  readonly said: string;
  readonly thought: string;
  readonly prompts: readonly string[];
  readonly sessionId: unknown;
  readonly model: unknown;
  /** All tokens of the run by the agent's own count, where it has one. */
  readonly tokens: number | undefined;
  readonly errors: readonly string[];
}

function messages({ stdout }: AgentCapture): Value[] {
  const lines = stdout.flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isValue(value) ? [value] : [];
    } catch {
      return [];
    }
  });
  if (lines.length > 0 || stdout[0] !== '{') return lines;
  const whole: unknown = JSON.parse(stdout.join('\n'));
  return isValue(whole) ? [whole] : [];
}

const joined = (parts: unknown[]): string => parts.filter((part) => typeof part === 'string').join('');
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const strings = (values: unknown[]): string[] => values.filter((value) => typeof value === 'string');

function codexWire(lines: Value[]): Wire {
  if (lines.some(({ method }) => method === 'turn/started')) return codexServerWire(lines);
  const items = lines.filter(({ type }) => String(type).startsWith('item.'));
  const events = lines.flatMap(({ msg }) => (isValue(msg) ? [msg] : []));
  const done = items.filter(({ type }) => type === 'item.completed').map(({ item }) => item as Value);
  const kindOf = (item: unknown): unknown => at(item, 'item_type') ?? at(item, 'type');
  const calls = new Map<string, boolean>();
  const noCalls = ['agent_message', 'assistant_message', 'reasoning', 'error', 'plan'];
  for (const { type, item } of items) {
    if (noCalls.includes(String(kindOf(item)))) continue;
    const id = String(at(item, 'id'));
    calls.set(id, calls.get(id) === true || type === 'item.completed');
  }
  for (const event of events) {
    const id = String(event['call_id']);
    if (String(event['type']).endsWith('_begin')) calls.set(id, false);
    if (String(event['type']).endsWith('_end')) calls.set(id, true);
    if (event['type'] === 'plan_update') calls.set('plan', true);
  }
  const of = (...kinds: string[]): unknown[] => [
    ...done.filter((item) => kinds.includes(String(kindOf(item)))).map(({ text }) => text),
    ...events.filter(({ type }) => kinds.includes(String(type))).map((event) => event['message'] ?? event['text']),
  ];
  const config = lines.find((line) => 'sandbox' in line);
  const usage = lines.findLast(({ type }) => type === 'turn.completed');
  // Later versions print the session's count, at times without any news, and at first without a count.
  const counts = events.filter(({ type, info }) => type === 'token_count' && info !== null);
  const total = at(counts.at(-1), 'info', 'total_token_usage', 'total_tokens');
  return {
    calls,
    said: joined(of('agent_message', 'assistant_message')),
    thought: joined(of('reasoning', 'agent_reasoning')),
    prompts: strings(lines.map((line) => line['prompt'])),
    sessionId: lines.find(({ type }) => type === 'thread.started')?.['thread_id'] ?? null,
    model: config?.['model'] ?? null,
    tokens:
      usage === undefined
        ? counts.length === 0
          ? undefined
          : number(total ?? counts.reduce((sum, event) => sum + number(event['total_tokens']), 0))
        : number(at(usage, 'usage', 'input_tokens')) + number(at(usage, 'usage', 'output_tokens')),
    errors: strings([
      ...lines.filter(({ type }) => type === 'turn.failed').map((line) => at(line, 'error', 'message')),
      ...events.filter(({ type }) => type === 'error').map(({ message }) => message),
    ]),
  };
}

/** The app-server: a text that was cut off has only its parts. */
function codexServerWire(lines: Value[]): Wire {
  const of = (method: string): unknown[] => lines.filter((line) => line['method'] === method);
  const items = (method: string, ...types: string[]): unknown[] =>
    of(method)
      .map((line) => at(line, 'params', 'item'))
      .filter((item) => types.includes(String(at(item, 'type'))));
  const calls = new Map<string, boolean>();
  for (const method of ['item/started', 'item/completed'])
    for (const item of items(method, 'commandExecution', 'fileChange'))
      calls.set(String(at(item, 'id')), method === 'item/completed');
  const done = items('item/completed', 'agentMessage', 'reasoning', 'userMessage');
  const ofType = (type: string) => done.filter((item) => at(item, 'type') === type);
  const cut = of('item/agentMessage/delta').filter(
    (line) => !done.some((item) => at(item, 'id') === at(line, 'params', 'itemId')),
  );
  const opened = lines.find(({ id }) => String(id).startsWith('thread/'));
  const total = of('thread/tokenUsage/updated').at(-1);
  const tokens = (name: string): number => number(at(total, 'params', 'tokenUsage', 'total', name));
  const texts = (item: unknown, name: string): unknown[] => {
    const parts = at(item, name);
    return Array.isArray(parts) ? parts : [];
  };
  return {
    calls,
    said: joined([
      ...cut.map((line) => at(line, 'params', 'delta')),
      ...ofType('agentMessage').map((item) => at(item, 'text')),
    ]),
    thought: joined(ofType('reasoning').flatMap((item) => texts(item, 'summary'))),
    prompts: strings(ofType('userMessage').flatMap((item) => texts(item, 'content').map((part) => at(part, 'text')))),
    sessionId: at(opened, 'result', 'thread', 'id'),
    model: at(opened, 'result', 'model'),
    tokens: total === undefined ? undefined : tokens('inputTokens') + tokens('outputTokens'),
    errors: strings(of('turn/completed').map((line) => at(line, 'params', 'turn', 'error', 'message'))),
  };
}

function geminiWire(lines: Value[]): Wire {
  const calls = new Map<string, boolean>();
  for (const line of lines) {
    if (line['type'] === 'tool_use') calls.set(String(line['tool_id']), false);
    if (line['type'] === 'tool_result') calls.set(String(line['tool_id']), true);
  }
  const of = (role: string): unknown[] =>
    lines.filter((line) => line['type'] === 'message' && line['role'] === role).map(({ content }) => content);
  const result = lines.find(({ type }) => type === 'result');
  const whole = lines.find((line) => 'response' in line);
  const byModel = Object.values((at(whole, 'stats', 'models') ?? {}) as Value);
  return {
    calls,
    said: joined([...of('assistant'), whole?.['response']]),
    thought: '',
    prompts: strings(of('user')),
    sessionId: lines.find(({ session_id }) => session_id !== undefined)?.['session_id'] ?? null,
    model: lines.find(({ type }) => type === 'init')?.['model'] ?? null,
    tokens:
      whole !== undefined
        ? byModel.reduce<number>((sum, model) => sum + number(at(model, 'tokens', 'total')), 0)
        : result === undefined
          ? undefined
          : number(at(result, 'stats', 'total_tokens')),
    errors: strings([at(result, 'error', 'message')]),
  };
}

function cursorWire(lines: Value[]): Wire {
  const calls = new Map<string, boolean>();
  for (const line of lines.filter(({ type }) => type === 'tool_call')) {
    const id = String(line['call_id']);
    calls.set(id, calls.get(id) === true || line['subtype'] === 'completed');
  }
  const textOf = (line: Value): unknown => at((at(line, 'message', 'content') as unknown[] | undefined)?.[0], 'text');
  const result = lines.find(({ type }) => type === 'result');
  const usage = at(result, 'usage');
  const init = lines.find(({ type }) => type === 'system');
  const whole = lines.filter(({ type, model_call_id, timestamp_ms }) => {
    return type === 'assistant' && (model_call_id !== undefined || timestamp_ms === undefined);
  });
  return {
    calls,
    said: joined(whole.map(textOf)),
    thought: joined(lines.filter(({ type }) => type === 'thinking').map(({ text }) => text)),
    prompts: strings(lines.filter(({ type }) => type === 'user').map(textOf)),
    sessionId: init?.['session_id'] ?? null,
    model: init?.['model'] ?? null,
    tokens: isValue(usage) ? Object.values(usage).reduce<number>((sum, count) => sum + number(count), 0) : undefined,
    errors: [],
  };
}

const readers = { codex: codexWire, gemini: geminiWire, cursor: cursorWire };

const textsOf = (entries: readonly NormalizedEntry[], kind: string): string[] =>
  entries.filter(({ type }) => type.kind === kind).map(({ content }) => content);

for (const [type, wireOf] of Object.entries(readers)) {
  describe(`${type} captures, recomputed from the wire`, () => {
    const adapter = findAdapter(type)!;
    const captures = capturesOf(type);

    const testEach = (title: string, check: (capture: AgentCapture, wire: Wire, read: Read) => void): void => {
      it(title, () => {
        for (const capture of captures) {
          check(capture, wireOf(messages(capture)), readBy(adapter, linesOfCapture(capture), capture.exit));
        }
      });
    };

    testEach('has every call once, with its result where there is one', ({ name }, wire, { entries }) => {
      const tools = entries.flatMap((entry) => (entry.type.kind === 'tool_use' ? [entry.type.tool] : []));
      assert.deepEqual(tools.map(({ callId }) => callId).sort(), [...wire.calls.keys()].sort(), name);
      for (const { callId, status } of tools) {
        if (wire.calls.get(callId) === false && callId !== 'plan') assert.equal(status, 'cancelled', name);
        else assert.notEqual(status, 'cancelled', `${name} ${callId}`);
      }
    });

    testEach('has all that was said and thought once', ({ name }, wire, { entries }) => {
      assert.equal(textsOf(entries, 'assistant_message').join(''), wire.said, name);
      assert.equal(textsOf(entries, 'thinking').join(''), wire.thought, name);
      assert.deepEqual(textsOf(entries, 'user_message'), wire.prompts, name);
    });

    testEach('knows session and model as far as they are printed', ({ name }, wire, { facts, entries }) => {
      if (wire.sessionId !== null) assert.deepEqual(facts.sessionIds, [wire.sessionId], name);
      assert.equal(facts.model, wire.model, name);
      const [first] = entries.filter(
        ({ type: entryType }) => entryType.kind === 'system_message' && entryType.subtype !== 'notice',
      );
      if (wire.sessionId === null && wire.model === null) return;
      if (wire.model !== null || type === 'codex') assert.equal(first?.metadata?.model, wire.model, name);
      if (type === 'cursor') assert.ok(entries.every(({ metadata }) => metadata?.['permissionMode'] === 'default'));
    });

    testEach('tells of every error', ({ name }, wire, { entries }) => {
      const reported = entries.flatMap((entry) => (entry.type.kind === 'error' ? [entry.type.error.message] : []));
      for (const error of wire.errors)
        assert.ok(
          reported.some((message) => error.includes(message)),
          `${name}: ${error}`,
        );
    });

    it("counts the agent's tokens, and no cost that the agent does not report", async () => {
      const prices = await loadPrices();
      for (const capture of captures) {
        const { facts } = readBy(adapter, linesOfCapture(capture), capture.exit);
        const { metadata } = runResult(facts, capture.exit, [], { prices });
        assert.ok(metadata !== undefined);
        const { tokens } = wireOf(messages(capture));
        assert.equal(totalTokens(metadata.usage), tokens ?? 0, capture.name);
        assert.notEqual(metadata.costProvenance.provenance, 'reported', capture.name);
        if ((tokens ?? 0) > 0) assert.notEqual(metadata.cost, 0, capture.name);
      }
    });
  });
}
