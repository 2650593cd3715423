import assert from 'node:assert/strict';
import { maxSummaryTurns, type RecordedRun, type RecordedTurn, type RecordLine } from '../../../src/formats/record.ts';
import { cutPrompt, RecordState, turnOf } from '../../../src/formats/recordState.ts';
import type { SessionSummary } from '../../../src/model/session/summary.ts';
import {
  aResult,
  aRun,
  aSession,
  aSummary,
  runId,
  sessionId,
  time,
  wholeSession,
} from '../../support/sessions/records.ts';

function stateOf(lines: readonly RecordLine[]): RecordState {
  const state = new RecordState(sessionId);
  for (const line of lines) state.apply(line);
  return state;
}

const secondRun = aRun({ run_id: 'run_bbbbbbbbbbbb', type: 'resume_session', started_at: time(200), first_index: 4 });

describe('state of a record', () => {
  it('is its last summary', () => {
    const state = stateOf(wholeSession(4));
    assert.deepEqual(state.summary(time(999)), aSummary({ entries: 4 }));
    assert.equal(state.turns.length, 1);
    assert.equal(state.isOpen, false);
  });

  it('adds the lines after the summary', () => {
    const state = stateOf([
      ...wholeSession(4),
      { kind: 'session', session: aSession({ title: 'Bills', last_resumed_at: time(199) }) },
      { kind: 'run', run: secondRun },
      { kind: 'entry', entry: { index: 6, timestamp: time(201), type: { kind: 'user_message' }, content: '' } },
    ]);
    const summary = state.summary(time(999));
    assert.equal(summary.title, 'Bills');
    assert.equal(summary.status, 'running');
    assert.equal(summary.outcome, 'none');
    assert.equal(summary.runs, 2);
    assert.equal(summary.entries, 7);
    assert.equal(summary.updated_at, time(200));
    assert.deepEqual(summary.total_cost, { provenance: 'reported', usd: 0.25 });
    assert.equal(state.isOpen, true);
    assert.equal(state.lastRun?.run_id, secondRun.run_id);
  });

  it('is rebuilt from the lines if there is no summary', () => {
    const state = stateOf(wholeSession(4).filter((line) => line.kind !== 'summary'));
    const summary = state.summary(time(999));
    assert.equal(summary.agent_label, 'Claude Code');
    assert.equal(summary.prompt, 'Add a total to the bill.');
    assert.equal(summary.outcome, 'completed');
    assert.deepEqual(summary.cost, { provenance: 'reported', usd: 0.25 });
    assert.equal(summary.model, 'claude-sonnet-4-5');
    assert.deepEqual(state.turns[0]?.cost, { provenance: 'reported', usd: 0.25 });
    assert.equal(state.turns[0].steps, 1);
  });

  it('keeps an outcome that only the summary has', () => {
    const run = aRun({ status: 'failed', completed_at: time(50) });
    const interrupted = aResult(0.1, { endReason: 'interrupted' });
    const lines: RecordLine[] = [
      { kind: 'session', session: aSession() },
      { kind: 'run', run },
      { kind: 'result', run_id: runId, result: interrupted },
    ];
    assert.equal(stateOf(lines).summary(time(999)).outcome, 'interrupted');
    const summary: RecordLine = {
      kind: 'summary',
      summary: aSummary({ outcome: 'interrupted' }),
      turns: [],
      turns_omitted: 0,
    };
    assert.equal(stateOf([...lines, summary]).summary(time(999)).outcome, 'interrupted');
  });

  describe('counts automatic messages', () => {
    const summary = (counts?: SessionSummary['synthetic'], turns: readonly RecordedTurn[] = []): RecordLine => ({
      kind: 'summary',
      summary: aSummary({ ...(counts !== undefined && { synthetic: counts }) }),
      turns: [...turns],
      turns_omitted: 0,
    });
    const marked = (n: number, status: RecordedRun['status'] = 'completed'): RecordedRun =>
      aRun({ run_id: `run_${n.toString(16).padStart(12, '0')}`, status, synthetic: true, trigger_type: 'check_in' });
    const run = (n: number, status?: RecordedRun['status']): RecordLine => ({ kind: 'run', run: marked(n, status) });
    const result = (n: number): RecordLine => ({
      kind: 'result',
      run_id: marked(n).run_id,
      result: aResult(0.1, { runTurns: 2 }),
    });
    const one = { messages: 1, runs: 1, turns: 2 };
    const two = { messages: 2, runs: 2, turns: 4 };
    for (const [what, lines, counts] of [
      ['none', [{ kind: 'run', run: aRun() }, summary()], undefined],
      ['as the summary does', [run(1, 'pending'), result(1), run(1), summary(one)], one],
      ['as a summary does whose lines are not read', [summary(one)], one],
      ['by the runs, where there is no summary', [run(1, 'pending'), result(1), run(1), run(2), result(2)], two],
      ['what came after the summary', [run(1), result(1), summary(one), run(2, 'pending'), result(2), run(2)], two],
      ['a run that goes on, without its turns', [summary(one), run(2, 'running'), result(2)], { ...two, turns: 2 }],
      [
        'a run once that was told of while it went on',
        [summary({ ...one, turns: 0 }, [turnOf(marked(1, 'running'))]), result(1), run(1)],
        { ...one, turns: 0 },
      ],
    ] as const satisfies readonly (readonly [string, readonly RecordLine[], unknown])[]) {
      it(what, () => assert.deepEqual(stateOf(lines).summary(time(999)).synthetic, counts));
    }

    it('by runs only, if marks have a wrong type', () => {
      const state = stateOf([run(1), result(1), summary(two)]);
      state.ignoreCounts();
      assert.deepEqual(state.summary(time(999)).synthetic, one);
    });

    it('however many there are', () => {
      const lines = Array.from({ length: 3000 }, (_, n) => [run(n), result(n)]).flat();
      assert.deepEqual(stateOf(lines).summary(time(999)).synthetic, { messages: 3000, runs: 3000, turns: 6000 });
    });
  });

  it('exists even for an empty record', () => {
    const summary = stateOf([]).summary(time(999));
    assert.equal(summary.session_id, sessionId);
    assert.equal(summary.created_at, time(999));
    assert.equal(summary.cost.provenance, 'unknown');
  });

  it('ignores lines of another session', () => {
    const state = new RecordState(sessionId);
    assert.equal(state.apply({ kind: 'run', run: aRun({ session_id: 'ses_ffffffffffff' }) }), false);
    assert.equal(state.apply({ kind: 'session', session: aSession({ session_id: 'ses_ffffffffffff' }) }), false);
    assert.equal(state.turns.length, 0);
  });

  it('keeps the newest turns only, and counts the others', () => {
    const state = new RecordState(sessionId);
    for (let turn = 0; turn < maxSummaryTurns + 5; turn += 1) {
      const run_id = `run_${turn.toString(16).padStart(12, '0')}`;
      state.apply({ kind: 'run', run: aRun({ run_id, status: 'running' }) });
      state.apply({ kind: 'run', run: aRun({ run_id, status: 'completed', prompt: 'later' }) });
    }
    assert.equal(state.turns.length, maxSummaryTurns);
    assert.equal(state.turnsOmitted, 5);
    assert.equal(state.summary(time(0)).runs, maxSummaryTurns + 5);
  });

  it('truncates a prompt between characters', () => {
    assert.equal(cutPrompt('😀'.repeat(300)), '😀'.repeat(200));
    assert.equal(cutPrompt('short'), 'short');
  });
});
