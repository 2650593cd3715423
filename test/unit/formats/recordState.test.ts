import assert from 'node:assert/strict';
import { maxSummaryTurns, type RecordLine } from '../../../src/formats/record.ts';
import { cutPrompt, RecordState } from '../../../src/formats/recordState.ts';
import { aResult, aRun, aSession, aSummary, runId, sessionId, time, wholeSession } from '../../support/records.ts';

function stateOf(lines: readonly RecordLine[]): RecordState {
  const state = new RecordState(sessionId);
  for (const line of lines) state.take(line);
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

  it('adds what came after the summary', () => {
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

  it('is put together from the lines where there is no summary', () => {
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

  it('keeps an outcome that only the summary knows', () => {
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

  it('exists even for an empty record', () => {
    const summary = stateOf([]).summary(time(999));
    assert.equal(summary.session_id, sessionId);
    assert.equal(summary.created_at, time(999));
    assert.equal(summary.cost.provenance, 'unknown');
  });

  it('takes no line of another session', () => {
    const state = new RecordState(sessionId);
    assert.equal(state.take({ kind: 'run', run: aRun({ session_id: 'ses_ffffffffffff' }) }), false);
    assert.equal(state.take({ kind: 'session', session: aSession({ session_id: 'ses_ffffffffffff' }) }), false);
    assert.equal(state.turns.length, 0);
  });

  it('holds the newest turns only, and counts the others', () => {
    const state = new RecordState(sessionId);
    for (let turn = 0; turn < maxSummaryTurns + 5; turn += 1) {
      const run_id = `run_${turn.toString(16).padStart(12, '0')}`;
      state.take({ kind: 'run', run: aRun({ run_id, status: 'running' }) });
      state.take({ kind: 'run', run: aRun({ run_id, status: 'completed', prompt: 'later' }) });
    }
    assert.equal(state.turns.length, maxSummaryTurns);
    assert.equal(state.turnsOmitted, 5);
    assert.equal(state.summary(time(0)).runs, maxSummaryTurns + 5);
  });

  it('cuts a prompt between characters', () => {
    assert.equal(cutPrompt('😀'.repeat(300)), '😀'.repeat(200));
    assert.equal(cutPrompt('short'), 'short');
  });
});
