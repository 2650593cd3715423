import assert from 'node:assert/strict';
import { entryLinePrefix, parseRecordLine, serializeRecordLine, type RecordLine } from '../../../src/formats/record.ts';
import { aRun, aSession, entryLine, runId, sessionId, time, wholeSession } from '../../support/sessions/records.ts';

const others: RecordLine[] = [
  {
    kind: 'usage',
    run_id: runId,
    usage: { messageId: 'msg_1', model: null, usage: { input: 3 }, parentCallId: null, settled: true },
  },
  { kind: 'decision', decision: { type: 'permission', at: time(3), command: 'rm -r build', granted: false } },
  { kind: 'entry', entry: { ...anEntryWithReversedKeys(), index: 7 }, received_at: time(8) },
];

function anEntryWithReversedKeys() {
  return { content: 'x\u2028y"z\\', type: { kind: 'user_message' as const }, timestamp: time(7) };
}

describe('record lines', () => {
  for (const line of [...wholeSession(4), ...others]) {
    it(`are read back unchanged: ${line.kind}`, () => {
      const text = serializeRecordLine(line);
      assert.ok(!text.includes('\n'));
      assert.ok(text.startsWith(`{"kind":"${line.kind}","`));
      assert.deepEqual(parseRecordLine(text), { value: line, problem: null });
    });
  }

  it('begin with the index if they contain an entry', () => {
    assert.ok(serializeRecordLine(entryLine(42)).startsWith(`${entryLinePrefix}42,`));
    assert.ok(serializeRecordLine(others[2]!).startsWith(`${entryLinePrefix}7,`));
  });

  it('ignore keys of later versions', () => {
    const text = serializeRecordLine({ kind: 'session', session: aSession() }).replace(/}$/, ',"hash":"abc"}');
    assert.deepEqual(parseRecordLine(text).value, { kind: 'session', session: aSession() });
  });

  it('of an unknown kind are unknown, not broken', () => {
    assert.deepEqual(parseRecordLine('{"kind":"colour","is":"blue"}'), {
      value: null,
      problem: null,
      unknown: 'colour',
    });
  });

  const broken: [string, string, 'not_json' | 'invalid'][] = [
    ['half a line', serializeRecordLine({ kind: 'run', run: aRun() }).slice(0, 60), 'not_json'],
    ['nothing', '', 'not_json'],
    ['no object', '[1,2]', 'invalid'],
    ['no kind', '{}', 'invalid'],
    ['a foreign id', `{"kind":"session","session":{"session_id":"../../${sessionId}"}}`, 'invalid'],
    [
      'a negative index',
      '{"kind":"entry","entry":{"index":-1,"timestamp":"","type":{"kind":"user_message"},"content":""}}',
      'invalid',
    ],
  ];
  for (const [name, text, reason] of broken) {
    it(`are reported if they contain ${name}`, () => {
      const parsed = parseRecordLine(text);
      assert.equal(parsed.value, null);
      assert.equal(parsed.problem?.reason, reason);
    });
  }
});
