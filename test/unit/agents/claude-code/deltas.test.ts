import assert from 'node:assert/strict';
import fc from 'fast-check';
import { claudeCode } from '../../../../src/agents/claude-code/adapter.ts';
import { parseBriefLine } from '../../../../src/agents/claude-code/texts/briefLine.ts';
import { DeltaLines } from '../../../../src/agents/claude-code/texts/deltaLine.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { capturesOf, readBy, type AgentCapture, type Read } from '../../../support/captures/agentCaptures.ts';
import { mutateLines, mutation } from '../../../support/hostile/damage.ts';

function read(lines: readonly string[]): Read {
  return readBy(
    claudeCode,
    lines.map((text) => ({ stream: 'stdout', text })),
  );
}

/** The same JSON, written so that no line is taken for a piece by what stands around it. */
const theLongWay = (lines: readonly string[]): string[] => lines.map((line) => line.replace(/^\{/, '{ '));

function withoutRaw({ entries, updates, facts }: Read): unknown {
  const without = (entry: NormalizedEntry): unknown =>
    JSON.parse(JSON.stringify(entry).replaceAll('{ ', '{').replaceAll('{\\" ', '{\\"'));
  const { lines, answer, finalText, messages, sessionIds } = facts;
  return {
    entries: entries.map(without),
    updates: updates.map((update) => (update.op === 'put' ? without(update.entry) : update)),
    facts: { lines, answer, finalText, messages, sessionIds },
  };
}

const delta = (piece: string, uuid = '00000000-0000-4000-8000-000000000001'): string =>
  `{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${piece}}},"session_id":"s","parent_tool_use_id":null,"uuid":"${uuid}"}`;

describe('pieces of a stream of Claude Code', () => {
  const streams = capturesOf('claude-code').filter(({ stdout }) =>
    stdout.some((line) => line.includes('content_block_delta')),
  );

  it('give the same entries with and without JSON.parse', () => {
    let pieces = 0;
    for (const { name, stdout } of streams) {
      const deltas = new DeltaLines();
      for (const line of stdout)
        if (deltas.read(line) === undefined) deltas.learnForm(line);
        else pieces += 1;
      assert.deepEqual(withoutRaw(read(stdout)), withoutRaw(read(theLongWay(stdout))), name);
    }
    assert.ok(pieces > 30, `${pieces}: the short way is taken`);
  });

  it('do so even when damaged', () => {
    const run = fc.record({
      capture: fc.constantFrom<AgentCapture>(...streams),
      changes: fc.array(mutation, { minLength: 1, maxLength: 8 }),
    });
    fc.assert(
      fc.property(run, ({ capture, changes }) => {
        const stdout = changes.reduce(mutateLines, [...capture.stdout]);
        assert.deepEqual(withoutRaw(read(stdout)), withoutRaw(read(theLongWay(stdout))));
      }),
      { numRuns: 300 },
    );
  });

  it('are recognized exactly as JSON.parse would read them', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"}},"session_id":"', '\\', '\u2028', '\ud800'),
    );
    fc.assert(
      fc.property(text, (said) => {
        const deltas = new DeltaLines();
        deltas.learnForm(delta('"first"'));
        assert.equal(deltas.read(delta(JSON.stringify(said)))?.piece, said);
      }),
    );
    const deltas = new DeltaLines();
    deltas.learnForm(delta('"first"'));
    for (const bad of ['"', '"a" ', '"\u0001"', '"a\\x"', '"a","b":"c"', '1', '"a\\u12"']) {
      assert.equal(deltas.read(delta(bad)), undefined, bad);
    }
    assert.equal(deltas.read(delta('"a"', '00000000-0000-4000-8000-00000000000"')), undefined);
    assert.equal(deltas.read(`${delta('"a"')} `), undefined);
    assert.equal(deltas.read(delta('"a"').replace('"s"', '"t"')), undefined, 'of another session');
  });

  it('alternate between several blocks', () => {
    const deltas = new DeltaLines();
    const at = (place: number): string => delta('"piece"').replace('"index":0', `"index":${place}`);
    for (const place of [0, 1, 2]) deltas.learnForm(at(place));
    for (let again = 0; again < 20; again += 1) deltas.learnForm(at(2));
    for (const place of [2, 0, 0, 1, 2]) assert.equal(deltas.read(at(place))?.place, place);
    assert.equal(deltas.read(at(3)), undefined);
  });
});

describe('brief lines of Claude Code', () => {
  const id = '"session_id":"s"';
  const uuid = '"uuid":"00000000-0000-4000-8000-000000000001"';
  const counting = (tokens: string) =>
    `{"type":"system","subtype":"thinking_tokens","estimated_tokens":${tokens},"estimated_tokens_delta":1,${id},${uuid}}`;
  const stopping = (end: string) =>
    `{"type":"stream_event","event":{"type":"content_block_stop","index":2},${id},"parent_tool_use_id":${end}}`;

  it('are recognized by their shape', () => {
    assert.deepEqual(parseBriefLine(counting('31')), { sessionId: 's', thinkingTokens: 31 });
    for (const end of [`null,${uuid}`, `"toolu_1",${uuid},"api_message_id":"msg_1"`]) {
      assert.deepEqual(parseBriefLine(stopping(end)), { sessionId: 's', thinkingTokens: undefined });
    }
  });

  it('are parsed as JSON if anything differs', () => {
    for (const line of [counting('031'), counting('-1'), counting('"3"'), stopping('7'), `${counting('1')} `]) {
      assert.equal(parseBriefLine(line), undefined, line);
    }
    assert.equal(parseBriefLine(stopping(`null,${uuid},"api_message_id":"a\\"`)), undefined);
    assert.equal(parseBriefLine(stopping(`null,${uuid},"isReplay":true`)), undefined);
  });

  it('occur in captures', () => {
    const lines = capturesOf('claude-code').flatMap(({ stdout }) => stdout);
    assert.ok(lines.filter((line) => parseBriefLine(line) !== undefined).length > 20);
  });
});
