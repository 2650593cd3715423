import assert from 'node:assert/strict';
import {
  beginRun,
  endRun,
  isOpen,
  markRunning,
  newRunState,
  stopRun,
  withIds,
  type BatchLine,
  type RunEnd,
} from '../../../../src/engine/run/transitions.ts';
import { RecordState } from '../../../../src/formats/recordState.ts';
import type { RecordedRun, RecordLine } from '../../../../src/formats/record.ts';
import type { Session } from '../../../../src/model/session/session.ts';

const at = '2026-11-24T10:00:00.000Z';
const id = 'ses_0123456789ab';
const session: Session = {
  session_id: id,
  status: 'pending',
  created_at: at,
  execution_mode: 'sync',
  executor_session_ids: [],
};
const run: RecordedRun = {
  run_id: 'run_0123456789ab',
  type: 'start_session',
  session_id: id,
  prompt: 'Add a total.',
  execution_mode: 'sync',
  status: 'pending',
  created_at: at,
  first_index: 0,
};
const prompt: RecordLine = {
  kind: 'entry',
  entry: { index: 0, timestamp: at, type: { kind: 'user_message' }, content: 'Add a total.', origin: 'human' },
};
const stopped: RecordLine = {
  kind: 'event',
  event: { event_type: 'session_stop', session_id: id, timestamp: at, reason: 'completed' },
};
const replacedIds = { executor_session_id: 'old', executor_session_ids: ['old'] };
const ended = (outcome: RunEnd['outcome'], responses = 1): Omit<RunEnd, 'session'> => ({
  outcome,
  at,
  endIndex: 1,
  counted: { steps: 0, responses, active_ms: 5 },
  error: outcome === 'failed' ? 'It failed.' : undefined,
  usage: [],
  result: undefined,
  transcript: [],
  event: stopped,
  replacedIds,
});

const lines = (batch: readonly BatchLine[]): RecordLine[] => batch.filter((line) => line !== 'summary');

function sessionIn(batch: readonly BatchLine[]): Session {
  const found = lines(batch).findLast((line) => line.kind === 'session');
  assert.ok(found?.kind === 'session');
  return found.session;
}

describe('the transitions of a run', () => {
  const started = beginRun(newRunState(run), { session, runnerId: 'lnch_1', replacedIds, transcript: [prompt], at });
  const running = markRunning(started.state, session, at);
  const header: RecordLine = {
    kind: 'header',
    format: 'vitrine-record',
    version: 1,
    session_id: id,
    created_at: at,
  };

  it('leave an open record until the last one is complete, wherever it ends', () => {
    const before: RecordLine[] = [header, { kind: 'session', session }];
    const end = endRun(running.state, { ...ended('completed'), session: sessionIn(running.batch) });
    const all = [...before, ...lines(started.batch), ...lines(running.batch), ...lines(end.batch)];
    for (let count = before.length; count <= all.length; count += 1) {
      const state = new RecordState(id);
      for (const line of all.slice(0, count)) state.apply(line);
      assert.equal(state.isOpen, count < all.length, `after line ${count}`);
    }
  });

  it('record nothing if there is nothing to change', () => {
    const early = stopRun(newRunState(run), session, false, at);
    assert.deepEqual(early.batch, []);
    assert.equal(early.state.stop, 'asked');
    const twice = stopRun(stopRun(running.state, sessionIn(running.batch), false, at).state, session, true, at);
    assert.deepEqual(twice.batch, []);
    assert.equal(twice.state.stop, 'hurried');
    const over = endRun(running.state, { ...ended('stopped'), session: sessionIn(running.batch) });
    assert.equal(isOpen(over.state), false);
    assert.deepEqual(markRunning(over.state, session, at).batch, []);
  });

  it("keep the earlier conversation's ids until a new one has responded", () => {
    const named = { ...sessionIn(running.batch), executor_session_ids: ['new'], executor_session_id: 'new' };
    const ids = (outcome: RunEnd['outcome'], responses: number): readonly string[] =>
      sessionIn(endRun(running.state, { ...ended(outcome, responses), session: named }).batch).executor_session_ids;
    assert.deepEqual(ids('failed', 0), ['old']);
    assert.deepEqual(ids('stopped', 0), ['old']);
    assert.deepEqual(ids('failed', 1), ['new']);
    assert.deepEqual(ids('completed', 0), ['new']);
  });

  it('add each id once, and know the newest', () => {
    const first = withIds(session, ['a', 'b', 'a']);
    assert.deepEqual(first?.executor_session_ids, ['a', 'b']);
    assert.equal(first.executor_session_id, 'a');
    assert.equal(withIds(first, ['a']), undefined);
    assert.equal(withIds(first, []), undefined);
  });
});
