import assert from 'node:assert/strict';
import { endsWithQuestion, openEnds } from '../../../src/insight/followUps/conversation.ts';
import { decideFollowUp, type FollowUpFacts, type WhyNot } from '../../../src/insight/followUps/decide.ts';
import { triggerPrompts } from '../../../src/insight/followUps/prompts.ts';
import { afterQuiet, quietHours } from '../../../src/insight/followUps/quietHours.ts';
import { parseFollowUps, rulesOf, type FollowUpRules } from '../../../src/insight/followUps/rules.ts';
import type { EntryType, NormalizedEntry } from '../../../src/model/entry.ts';
import type { NormalizedEntryMetadata } from '../../../src/model/metadata.ts';
import { triggerTypes } from '../../../src/model/metadata.ts';
import type { Decision } from '../../../src/model/request.ts';

const minute = 60_000;
const hour = 60 * minute;
/** A day whose midnight is 0. */
const minuteOfDay = (at: number): number => Math.floor(at / minute) % (24 * 60);
const noon = 12 * hour;

function entries(...all: readonly (readonly [EntryType, string, NormalizedEntryMetadata?])[]): NormalizedEntry[] {
  return all.map(([type, content, metadata], index) => ({
    index,
    timestamp: '2026-11-22T12:00:00.000Z',
    type,
    content,
    ...(metadata !== undefined && { metadata }),
  }));
}
const user: EntryType = { kind: 'user_message' };
const agent: EntryType = { kind: 'assistant_message' };
const todos = (...states: ('pending' | 'in_progress' | 'completed' | 'cancelled')[]): EntryType => ({
  kind: 'tool_use',
  tool: {
    toolName: 'TodoWrite',
    callId: 'call',
    status: 'success',
    action: { kind: 'todo', todos: states.map((status) => ({ text: 'x', status })) },
  },
});
const asked = (by?: Decision['by']): readonly [EntryType, string, NormalizedEntryMetadata] => {
  const at = '2026-11-22T12:00:00.000Z';
  const request = { id: 'r', kind: 'plan', title: 'A plan', asked_at: at, expires_at: at };
  const decision = by && { by, at, answer: { kind: 'deny' } };
  return [{ kind: 'system_message', subtype: 'request' }, 'asks', { request, ...(decision && { decision }) }];
};

describe('what stands open at the end of a conversation', () => {
  const nothing = { question: false, todos: null, undecided: null };

  it('is nothing where nothing was asked or planned', () => {
    assert.deepEqual(openEnds([]), nothing);
    assert.deepEqual(openEnds(entries([user, 'Why?'], [agent, 'Because.'])), nothing);
  });

  it('is a question of the agent until somebody says something', () => {
    const question = entries([user, 'Go.'], [agent, 'Tea?']);
    assert.equal(openEnds(question).question, true);
    assert.equal(openEnds(entries([user, 'Go.'], [agent, 'Tea?'], [user, 'Yes.'])).question, false);
    assert.equal(openEnds(entries([agent, 'Tea?'], [agent, 'I took tea.'])).question, false);
    assert.equal(openEnds(entries([agent, 'Done.'], [agent, 'Tea?', { parentCallId: 'sub' }])).question, false);
  });

  it('is what is left of the last list of todos', () => {
    const list = openEnds(entries([todos('pending'), ''], [todos('completed', 'in_progress', 'pending'), '']));
    assert.deepEqual(list.todos, { open: 2, all: 3 });
    assert.deepEqual(openEnds(entries([todos('completed', 'cancelled'), ''])).todos, { open: 0, all: 2 });
  });

  it('is what was asked and not decided by anybody', () => {
    for (const by of [undefined, 'timeout', 'run_over', 'nobody'] as const) {
      assert.equal(openEnds(entries(asked(by), [agent, 'I go without.'])).undecided, 'plan', by);
    }
    for (const by of ['user', 'policy', 'withdrawn'] as const) {
      assert.equal(openEnds(entries(asked(by))).undecided, null, by);
    }
    assert.equal(openEnds(entries(asked('timeout'), [user, 'Leave it.'])).undecided, null);
    const followed = entries(asked('timeout'), [user, 'Follow up.', { synthetic: true }]);
    assert.equal(openEnds(followed).undecided, 'plan', 'a trigger decides nothing');
  });

  for (const text of [
    'Which one?',
    'Shall I? ',
    '**Shall I?**',
    'Is it "that"?)',
    'お茶？',
    'Which?\n\n1. Green\n2. Black',
    'Which?\n- a\n- b\n',
  ]) {
    it(`sees a question in ${JSON.stringify(text)}`, () => assert.equal(endsWithQuestion(text), true));
  }
  for (const text of ['', 'Done.', 'Why? Because.', 'What I did:\n- this\n- that', '?'.padStart(3, 'x ') + ' no']) {
    it(`sees none in ${JSON.stringify(text)}`, () => assert.equal(endsWithQuestion(text), false));
  }
});

describe('a follow-up', () => {
  const rules: FollowUpRules = {
    triggers: triggerTypes,
    delayMs: 10 * minute,
    perSession: 3,
    perDay: 20,
    perDayOfAgent: 20,
    quiet: [],
  };
  const facts: FollowUpFacts = {
    idle: true,
    since: noon,
    total: 7,
    ends: { question: false, todos: null, undecided: null },
    sent: { count: 0, usd: 0 },
    today: { all: 0, agent: 0 },
  };
  const decide = (change: Partial<FollowUpFacts> = {}, own: Partial<FollowUpRules> = {}, now = noon, paused = false) =>
    decideFollowUp({ ...facts, ...change }, { ...rules, ...own }, { now, minuteOfDay, paused });
  const trigger = (ends: Partial<FollowUpFacts['ends']>, own: Partial<FollowUpRules> = {}) => {
    const decision = decide({ ends: { ...facts.ends, ...ends } }, own);
    return decision.due ? [decision.trigger.type, decision.trigger.reason, decision.prompt] : decision.why;
  };

  it('is for the most definite thing that stands open', () => {
    const all = { question: true, todos: { open: 2, all: 5 }, undecided: 'plan' } as const;
    assert.deepEqual(trigger(all), [
      'waiting_for_decision',
      'A plan waits for a decision',
      'Follow up on the decision the user needs to make.',
    ]);
    assert.deepEqual(trigger({ ...all, undecided: null }), [
      'question_unanswered',
      'The last message ends with a question that nobody answered',
      "The user asked a question but hasn't responded. Follow up on it.",
    ]);
    assert.deepEqual(trigger({ todos: all.todos }), [
      'task_incomplete',
      '2 of 5 todos are open',
      'Check in about the incomplete task we discussed.',
    ]);
    assert.deepEqual(trigger({}), ['check_in', 'No activity for 10 minutes', 'Continue our conversation naturally.']);
    assert.deepEqual(trigger({ todos: { open: 0, all: 2 } }, { triggers: ['task_incomplete'] }), 'nothing_open');
    assert.deepEqual(trigger(all, { triggers: ['task_incomplete'] })[0], 'task_incomplete');
  });

  it('says nothing about itself to the agent', () => {
    for (const prompt of Object.values(triggerPrompts)) {
      assert.doesNotMatch(prompt, /trigger|autonomous|automat|synthetic|system|vitrine|follow-up|[[\]{}]/i);
    }
  });

  it('is due when nothing happened for its delay, and never in the past', () => {
    const at = (now: number, change = {}) => {
      const decision = decide(change, {}, now);
      return decision.due ? decision.at : decision.why;
    };
    assert.equal(at(noon), noon + 10 * minute);
    assert.equal(at(noon + 3 * hour), noon + 3 * hour);
    assert.equal(at(noon + 25 * hour), 'too_old');
    // A clock that was set back.
    assert.equal(at(noon, { since: noon + 90 * 24 * hour }), noon + 10 * minute);
  });

  it('waits for the end of quiet hours', () => {
    const quiet = [quietHours({ from: '12:05', to: '13:30' }), quietHours({ from: '13:30', to: '14:00' })];
    const decision = decide({}, { quiet });
    assert.ok(decision.due);
    assert.deepEqual([decision.at, decision.quietUntil], [14 * hour, noon]);
    const night = [quietHours({ from: '22:00', to: '07:00' })];
    assert.equal(afterQuiet(23 * hour + 1234, night, minuteOfDay), 31 * hour);
    assert.equal(afterQuiet(7 * hour, night, minuteOfDay), 7 * hour);
    assert.equal(afterQuiet(6 * hour, [quietHours({ from: '06:00', to: '06:00' })], minuteOfDay), 6 * hour);
    const always = [quietHours({ from: '00:00', to: '12:00' }), quietHours({ from: '12:00', to: '00:00' })];
    const never = decide({}, { quiet: always });
    assert.deepEqual(never, { due: false, why: 'always_quiet' });
  });

  const refusals: readonly [WhyNot, Partial<FollowUpFacts>, Partial<FollowUpRules>][] = [
    ['not_idle', { idle: false }, {}],
    ['cancelled', { cancelledAt: 7 }, {}],
    ['session_limit', { sent: { count: 3, usd: 0 } }, {}],
    ['session_limit', {}, { perSession: 0 }],
    ['day_limit', { today: { all: 20, agent: 0 } }, {}],
    ['day_limit', { today: { all: 0, agent: 2 } }, { perDayOfAgent: 2 }],
    ['budget_used_up', { sent: { count: 1, usd: 0.5 } }, { usd: 0.5 }],
    ['budget_unknown', { sent: { count: 1, usd: null } }, { usd: 0.5 }],
    ['nothing_open', {}, { triggers: [] }],
  ];
  for (const [why, change, own] of refusals) {
    it(`does not go out: ${why} ${JSON.stringify({ ...change, ...own })}`, () => {
      assert.deepEqual(decide(change, own), { due: false, why });
    });
  }

  it('does not go out where nobody asked for any, or all are paused', () => {
    const now = { now: noon, minuteOfDay, paused: false };
    assert.deepEqual(decideFollowUp(facts, null, now), { due: false, why: 'off' });
    assert.deepEqual(decide({}, {}, noon, true), { due: false, why: 'paused' });
  });

  it('comes again when more was said after it was cancelled', () => {
    assert.equal(decide({ cancelledAt: 7, total: 9 }).due, true);
  });

  it('may cost what is left of its budget', () => {
    const decision = decide({ sent: { count: 1, usd: 0.25 } }, { usd: 1 });
    assert.ok(decision.due);
    assert.equal(decision.usd, 0.75);
  });
});

describe('the rules of follow-ups', () => {
  const claude = { executor_type: 'claude-code' } as const;

  it('are off until a setting, a file or the session itself says so', () => {
    assert.equal(rulesOf(claude, {}), null);
    assert.notEqual(rulesOf(claude, { executors: ['claude-code'] }), null);
    assert.equal(rulesOf(claude, { executors: ['codex'] }), null);
    assert.notEqual(rulesOf(claude, {}, {}), null);
    assert.notEqual(rulesOf({ ...claude, follow_ups: { on: true } }, {}), null);
    assert.equal(rulesOf({ ...claude, follow_ups: { on: false } }, { executors: ['claude-code'] }, {}), null);
  });

  it('take the lower limit and every quiet hour', () => {
    const quiet = { from: '22:00', to: '07:00' };
    const settings = { max_per_session: 2, max_per_day: 4, max_budget_usd: 1, quiet_hours: quiet, delay_minutes: 5 };
    const file = { max_per_session: 9, max_per_day: 2, max_budget_usd: 0.5, quiet_hours: quiet, delay_minutes: 1 };
    assert.deepEqual(rulesOf(claude, settings, file), {
      triggers: ['question_unanswered', 'task_incomplete', 'waiting_for_decision'],
      delayMs: minute,
      perSession: 2,
      perDay: 4,
      perDayOfAgent: 2,
      quiet: [
        { from: 1320, to: 420 },
        { from: 1320, to: 420 },
      ],
      usd: 0.5,
    });
  });

  it('hold what limits where a setting is mistyped, and allow nothing by it', () => {
    const { value, problems } = parseFollowUps({ executors: ['claude-code'], triggers: ['nag'], max_per_session: 1 });
    assert.deepEqual(value, { max_per_session: 1 });
    assert.equal(problems.length, 1);
    assert.deepEqual(parseFollowUps({ executors: ['claude-code'], max_per_day: 'many' }).value, { max_per_day: 0 });
    assert.deepEqual(parseFollowUps(undefined), { value: {}, problems: [] });
    assert.equal(parseFollowUps([]).problems.length, 1);
  });
});
