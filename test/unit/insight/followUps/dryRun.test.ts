import assert from 'node:assert/strict';
import type { UnfinishedWork } from '../../../../src/insight/followUps/conversation.ts';
import { dryRun, type EndedRun } from '../../../../src/insight/followUps/dryRun.ts';
import { rulesOf } from '../../../../src/insight/followUps/rules.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const clock = {
  minuteOfDay: (at: number) => Math.floor(at / minute) % (24 * 60),
  dayOf: (at: number) => String(Math.floor(at / day)),
};
const nothing: UnfinishedWork = { endsWithQuestion: false, todos: null, undecided: null, isRepeat: false };
const question: UnfinishedWork = { ...nothing, endsWithQuestion: true };

function run(overrides: Partial<EndedRun> = {}): EndedRun {
  return {
    sessionId: 'ses_000000000001',
    scope: 'executor-codex',
    endedAt: 12 * hour,
    isCompleted: true,
    total: 2,
    unfinishedWork: question,
    sent: { count: 0, usd: 0 },
    ...overrides,
  };
}

const rules = (settings: object) => rulesOf({ executor_type: 'codex', follow_ups: { on: true } }, settings);
const outcomes = (runs: readonly EndedRun[], settings: object = {}) =>
  dryRun([{ runs, rules: rules(settings), isOff: false }], clock).map(({ outcome }) =>
    outcome.sent ? outcome.at : outcome.why,
  );

describe('a dry run of follow-ups', () => {
  it('lists when each would have been sent, and its text', () => {
    const [row] = dryRun([{ runs: [run()], rules: rules({}), isOff: true }], clock);
    assert.deepEqual(row?.outcome, {
      sent: true,
      at: 12 * hour + 10 * minute,
      trigger: {
        type: 'question_unanswered',
        reason: 'The last message ends with an unanswered question',
      },
      prompt: "The user asked a question but hasn't responded. Follow up on it.",
    });
    assert.equal(row.isOff, true);
  });

  it('gives the reason if none would have been sent', () => {
    assert.deepEqual(outcomes([run({ unfinishedWork: nothing })]), ['nothing_open']);
    assert.deepEqual(outcomes([run({ isCompleted: false })]), ['not_idle']);
    assert.deepEqual(outcomes([run({ nextAt: 12 * hour + minute })]), ['resumed']);
    assert.deepEqual(outcomes([run({ sent: { count: 3, usd: 0 } })]), ['session_limit']);
    assert.deepEqual(outcomes([run({ nextAt: 13 * hour })]), [12 * hour + 10 * minute]);
  });

  it('waits for the end of quiet hours', () => {
    assert.deepEqual(outcomes([run({ endedAt: 23 * hour })], { quiet_hours: { from: '22:00', to: '07:00' } }), [
      day + 7 * hour,
    ]);
  });

  it('respects the limit of each day, in due order', () => {
    const runs = [3, 1, 2].map((at) => run({ endedAt: at * hour, sessionId: `ses_00000000000${at}` }));
    assert.deepEqual(outcomes([...runs, run({ endedAt: day + hour })], { max_per_day: 2 }), [
      hour + 10 * minute,
      2 * hour + 10 * minute,
      'day_limit',
      day + hour + 10 * minute,
    ]);
  });
});
