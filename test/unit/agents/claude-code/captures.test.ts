import assert from 'node:assert/strict';
import { normalizedEntrySchema, type NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { type AgentCapture, linesOfCapture } from '../../../support/captures/agentCaptures.ts';
import { claudeCaptures, normalizeLines } from '../../../support/captures/captures.ts';

type Value = Record<string, unknown>;

const isValue = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every message of a capture, read without the code under test. */
function messages({ stdout }: AgentCapture): Value[] {
  return stdout.flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return (Array.isArray(value) ? value : [value]).filter(isValue);
    } catch {
      return [];
    }
  });
}

function blocks(message: Value): Value[] {
  const content = isValue(message['message']) ? message['message']['content'] : undefined;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isValue) : [];
}

interface Wire {
  readonly calls: Map<string, { name: unknown; parent: unknown }>;
  readonly results: Map<string, { text: string; isError: boolean }>;
  readonly texts: string[];
  readonly thinking: string[];
  readonly userTexts: string[];
  readonly closing: Value[];
  readonly redacted: number;
}

/** What stands on the wire: of streamed messages only what no final line repeats. */
function wire(capture: AgentCapture): Wire {
  const found: Wire = {
    calls: new Map(),
    results: new Map(),
    texts: [],
    thinking: [],
    userTexts: [],
    closing: [],
    redacted: 0,
  };
  let redacted = 0;
  const finals = new Set<string>();
  const streamed = new Map<string, { kind: 'text' | 'thinking'; text: string; id: string }>();
  let streaming = '';
  for (const message of messages(capture)) {
    const parent = message['parent_tool_use_id'] ?? null;
    if (message['type'] === 'assistant') {
      const id = isValue(message['message']) ? String(message['message']['id']) : '';
      for (const block of blocks(message)) {
        if (block['type'] === 'tool_use') found.calls.set(String(block['id']), { name: block['name'], parent });
        if (block['type'] === 'redacted_thinking') redacted += 1;
        if (block['type'] === 'text' && block['text'] !== '') found.texts.push(String(block['text']));
        if (block['type'] === 'thinking') found.thinking.push(String(block['thinking']));
        if (block['type'] === 'text' || block['type'] === 'thinking')
          finals.add(`${id} ${String(block[block['type']])}`);
      }
    } else if (message['type'] === 'user') {
      for (const block of blocks(message)) {
        if (block['type'] === 'text') found.userTexts.push(String(block['text']));
        if (block['type'] !== 'tool_result') continue;
        const content = block['content'];
        const text = typeof content === 'string' ? content : '';
        found.results.set(String(block['tool_use_id']), { text, isError: block['is_error'] === true });
      }
    } else if (message['type'] === 'result') found.closing.push(message);
    else if (message['type'] === 'stream_event' && isValue(message['event'])) {
      const event = message['event'];
      if (event['type'] === 'message_start' && isValue(event['message'])) streaming = String(event['message']['id']);
      if (event['type'] !== 'content_block_delta' || !isValue(event['delta'])) continue;
      const { type } = event['delta'];
      if (type !== 'text_delta' && type !== 'thinking_delta') continue;
      const kind = type === 'text_delta' ? 'text' : 'thinking';
      const key = `${streaming} ${String(event['index'])}`;
      const before = streamed.get(key)?.text ?? '';
      streamed.set(key, { kind, text: before + String(event['delta'][kind]), id: streaming });
    }
  }
  for (const { kind, text, id } of streamed.values()) {
    if (!finals.has(`${id} ${text}`)) (kind === 'text' ? found.texts : found.thinking).push(text);
  }
  return { ...found, redacted };
}

function toolOf(entry: NormalizedEntry) {
  return entry.type.kind === 'tool_use' ? [entry.type.tool] : [];
}

const counted = (texts: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
};

describe('every Claude Code capture', () => {
  const captures = claudeCaptures();

  it('exists for old and new versions', () => {
    const versions = new Set(captures.map(({ name }) => name.split('/')[0]));
    for (const version of ['1.0.3', '2.0.77', '2.1.328']) assert.ok(versions.has(version), version);
    assert.ok(captures.length >= 150, String(captures.length));
  });

  for (const capture of captures) {
    describe(capture.name, () => {
      const { entries, open, updates, facts } = normalizeLines(linesOfCapture(capture), capture.exit);
      const expected = wire(capture);

      it('gives valid entries, numbered without gaps, all closed', () => {
        for (const entry of entries) normalizedEntrySchema.parse(entry);
        assert.deepEqual(
          entries.map(({ index }) => index),
          entries.map((_, at) => at),
        );
        assert.deepEqual(open, []);
        assert.ok(updates.length > 0);
      });

      it('has one entry for each tool call, with its result', () => {
        const tools = entries.flatMap(toolOf);
        assert.deepEqual(
          tools.map(({ callId, toolName, parentCallId }) => [callId, toolName, parentCallId ?? null]),
          [...expected.calls].map(([id, { name, parent }]) => [id, name, parent]),
        );
        for (const tool of tools) {
          const result = expected.results.get(tool.callId);
          assert.ok(tool.status !== 'running' && tool.status !== 'created');
          if (result === undefined) assert.equal(tool.status, 'cancelled');
          else assert.equal(tool.result?.isError, result.isError);
          if (result !== undefined && result.text !== '') assert.equal(tool.result?.text, result.text);
        }
      });

      it('has every text and every thought once', () => {
        const said = entries.flatMap(({ type, content }) =>
          type.kind === 'assistant_message' || (type.kind === 'error' && type.error.code !== 'malformed_line')
            ? [content]
            : [],
        );
        const onlyInResults = expected.closing.flatMap(({ result, errors }) => [
          ...(typeof result === 'string' && result !== '' && !expected.texts.includes(result) ? [result] : []),
          ...(Array.isArray(errors) ? errors.map(String) : []),
        ]);
        const wanted = counted(expected.texts);
        for (const [text, times] of Object.entries(wanted)) assert.equal(counted(said)[text], times, text);
        for (const text of said) {
          const known = text in wanted || onlyInResults.includes(text);
          if (!known)
            assert.ok(
              entries.some(({ type, content }) => type.kind === 'error' && content === text),
              text,
            );
        }
        const thought = entries.flatMap(({ type }) => (type.kind === 'thinking' ? [type.reasoning] : []));
        assert.deepEqual(
          thought.filter((text) => text !== undefined),
          expected.thinking,
        );
        assert.equal(thought.filter((text) => text === undefined).length, expected.redacted);
        for (const text of expected.userTexts)
          assert.ok(
            entries.some(({ content }) => content === text),
            text,
          );
      });

      it('knows every line', () => {
        const { total, unknown, malformed } = facts.lines;
        assert.equal(total, capture.stdout.length);
        assert.equal(unknown, 0);
        assert.equal(malformed, capture.stdout.filter((line) => !/^[[{]/.test(line)).length);
        assert.equal(facts.reports.length, expected.closing.length);
      });

      it('has session and model in every entry once they are known', () => {
        const first = entries.findIndex(({ metadata }) => metadata?.sessionId !== undefined);
        const known = first === -1 ? [] : entries.slice(first);
        for (const { metadata } of known) assert.equal(metadata?.sessionId, entries[first]?.metadata?.sessionId);
        for (const { metadata } of known) assert.notEqual(metadata?.model, undefined);
      });

      it('has the figures of its closing lines', () => {
        for (const [at, result] of expected.closing.entries()) {
          const report = facts.reports[at];
          assert.ok(report !== undefined);
          assert.equal(report.usd, result['total_cost_usd'] ?? result['total_cost'] ?? null);
          assert.equal(report.turns, result['num_turns'] ?? null);
          assert.equal(report.apiDurationMs, result['duration_api_ms'] ?? null);
          assert.equal(report.isError, result['is_error'] === true);
        }
      });
    });
  }
});
