import assert from 'node:assert/strict';
import { findUnfinishedWork } from '../../../../src/insight/followUps/conversation.ts';
import { decideFollowUp, type FollowUpFacts, type NoFollowUpReason } from '../../../../src/insight/followUps/decide.ts';
import { triggerPrompts } from '../../../../src/insight/followUps/prompts.ts';
import { skipQuietHours, quietHours } from '../../../../src/insight/followUps/quietHours.ts';
import { parseFollowUps, rulesOf, type FollowUpRules } from '../../../../src/insight/followUps/rules.ts';
import type { EntryType, NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { type NormalizedEntryMetadata, triggerTypes } from '../../../../src/model/transcript/metadata.ts';
import type { Decision } from '../../../../src/model/agent/request.ts';
import type { Todo, ToolStatus } from '../../../../src/model/transcript/tool.ts';

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
const one = (id: string, status: Todo['status'] = 'pending'): Todo => ({ id, text: id, status });
const listed = (
  todos: Todo[],
  { status = 'success', others }: { readonly status?: ToolStatus; readonly others?: Todo['status'] } = {},
): EntryType => ({
  kind: 'tool_use',
  tool: {
    toolName: 'TaskList',
    callId: 'call',
    status,
    action: { kind: 'todo', todos, ...(others !== undefined && { others }) },
  },
});
const asked = (by?: Decision['by']): readonly [EntryType, string, NormalizedEntryMetadata] => {
  const at = '2026-11-22T12:00:00.000Z';
  const request = { id: 'r', kind: 'plan', title: 'A plan', asked_at: at, expires_at: at };
  const decision = by && { by, at, answer: { kind: 'deny' } };
  return [{ kind: 'system_message', subtype: 'request' }, 'asks', { request, ...(decision && { decision }) }];
};

describe('unfinished work at the end of a conversation', () => {
  const nothing = { endsWithQuestion: false, todos: null, undecided: null, isRepeat: false };

  it('is nothing if nothing was asked or planned', () => {
    assert.deepEqual(findUnfinishedWork([]), nothing);
    assert.deepEqual(findUnfinishedWork(entries([user, 'Why?'], [agent, 'Because.'])), nothing);
  });

  it('is a question of the agent until someone replies', () => {
    const question = entries([user, 'Go.'], [agent, 'Tea?']);
    assert.equal(findUnfinishedWork(question).endsWithQuestion, true);
    assert.equal(findUnfinishedWork(entries([user, 'Go.'], [agent, 'Tea?'], [user, 'Yes.'])).endsWithQuestion, false);
    assert.equal(findUnfinishedWork(entries([agent, 'Tea?'], [agent, 'I took tea.'])).endsWithQuestion, false);
    assert.equal(
      findUnfinishedWork(entries([agent, 'Done.'], [agent, 'Tea?', { parentCallId: 'sub' }])).endsWithQuestion,
      false,
    );
  });

  it('is the rest of the last to-do list', () => {
    const list = findUnfinishedWork(
      entries([todos('pending'), ''], [todos('completed', 'in_progress', 'pending'), '']),
    );
    assert.deepEqual(list.todos, { open: 2, all: 3 });
    assert.deepEqual(findUnfinishedWork(entries([todos('completed', 'cancelled'), ''])).todos, { open: 0, all: 2 });
  });

  it('ignores failed calls', () => {
    const list = [todos('pending', 'pending'), ''] as const;
    for (const status of ['failed', 'denied', 'cancelled', 'running'] as const) {
      assert.deepEqual(
        findUnfinishedWork(entries(list, [listed([], { status }), ''])).todos,
        { open: 2, all: 2 },
        status,
      );
    }
    assert.deepEqual(
      findUnfinishedWork(entries(list, [listed([]), ''])).todos,
      { open: 0, all: 0 },
      'a list that was emptied',
    );
  });

  it('is the rest of a list that several runs reported in parts', () => {
    const initial = listed([one('1'), one('2'), one('3')]);
    const left = (...types: readonly EntryType[]) =>
      findUnfinishedWork(entries(...[initial, ...types].map((content) => [content, ''] as const))).todos;
    assert.deepEqual(left(listed([one('1', 'completed')])), { open: 2, all: 3 });
    assert.deepEqual(left(listed([one('1', 'completed')]), listed([one('4')])), { open: 3, all: 4 });
    assert.deepEqual(left(listed([], { others: 'completed' })), { open: 0, all: 3 });
    assert.deepEqual(left(listed([one('2')], { others: 'cancelled' })), { open: 1, all: 3 });
    assert.deepEqual(left(listed([])), { open: 3, all: 3 }, 'a call that says nothing of the list');
    assert.deepEqual(left(todos('completed')), { open: 0, all: 1 }, 'a list of another tool');
  });

  it('ignores lists of other conversations of the agent', () => {
    const of = (sessionId: string, ...todos: ReturnType<typeof one>[]) => [listed(todos), '', { sessionId }] as const;
    const isNewConversation = findUnfinishedWork(entries(of('a', one('1'), one('2')), of('b', one('1', 'completed'))));
    assert.deepEqual(isNewConversation.todos, { open: 0, all: 1 });
    const resumed = findUnfinishedWork(entries(of('a', one('1'), one('2')), of('a', one('1', 'completed'))));
    assert.deepEqual(resumed.todos, { open: 1, all: 2 });
  });

  it("remains after a program's message, or a rule's decision about something else", () => {
    for (const by of ['policy', 'withdrawn'] as const) {
      assert.equal(findUnfinishedWork(entries(asked('timeout'), asked(by))).undecided, 'plan', by);
    }
    assert.equal(findUnfinishedWork(entries(asked('timeout'), asked('user'))).undecided, null);
    const put = (origin: NormalizedEntry['origin'], metadata: NormalizedEntryMetadata = {}) =>
      findUnfinishedWork([
        ...entries(asked('timeout'), [agent, 'Tea?']),
        { index: 2, timestamp: '', type: user, content: 'Base directory.', origin, metadata },
      ]);
    for (const origin of ['skill', 'hook', 'compaction', 'system'] as const) {
      assert.deepEqual(
        put(origin),
        { todos: null, endsWithQuestion: true, undecided: 'plan', isRepeat: false },
        origin,
      );
    }
    assert.deepEqual(put('follow_up', { synthetic: true }), {
      todos: null,
      endsWithQuestion: false,
      undecided: 'plan',
      isRepeat: false,
    });
    assert.deepEqual(put('follow_up'), nothing, 'without the mark, a person wrote it');
  });

  it('includes undecided requests', () => {
    for (const by of [undefined, 'timeout', 'run_over', 'nobody'] as const) {
      assert.equal(findUnfinishedWork(entries(asked(by), [agent, 'I go without.'])).undecided, 'plan', by);
    }
    for (const by of ['user', 'policy', 'withdrawn'] as const) {
      assert.equal(findUnfinishedWork(entries(asked(by))).undecided, null, by);
    }
    assert.equal(findUnfinishedWork(entries(asked('timeout'), [user, 'Leave it.'])).undecided, null);
    const followed = entries(asked('timeout'), [user, 'Follow up.', { synthetic: true }]);
    assert.equal(findUnfinishedWork(followed).undecided, 'plan', 'a trigger decides nothing');
  });
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
    isIdle: true,
    since: noon,
    total: 7,
    unfinishedWork: { endsWithQuestion: false, todos: null, undecided: null, isRepeat: false },
    sent: { count: 0, usd: 0 },
    sentToday: { all: 0, agent: 0 },
  };
  const decide = (
    change: Partial<FollowUpFacts> = {},
    own: Partial<FollowUpRules> = {},
    now = noon,
    isPaused = false,
  ) => decideFollowUp({ ...facts, ...change }, { ...rules, ...own }, { now, minuteOfDay, isPaused });
  const trigger = (ends: Partial<FollowUpFacts['unfinishedWork']>, own: Partial<FollowUpRules> = {}) => {
    const decision = decide({ unfinishedWork: { ...facts.unfinishedWork, ...ends } }, own);
    return decision.due ? [decision.trigger.type, decision.trigger.reason, decision.prompt] : decision.why;
  };

  it('is about the most definite unfinished work', () => {
    const all = { endsWithQuestion: true, todos: { open: 2, all: 5 }, undecided: 'plan' } as const;
    assert.deepEqual(trigger(all), [
      'waiting_for_decision',
      'A plan is waiting for a decision',
      'Follow up on the decision the user needs to make.',
    ]);
    assert.deepEqual(trigger({ ...all, undecided: null }), [
      'question_unanswered',
      'The last message ends with an unanswered question',
      "The user asked a question but hasn't responded. Follow up on it.",
    ]);
    assert.deepEqual(trigger({ todos: all.todos }), [
      'task_incomplete',
      '2 of 5 to-dos are open',
      'Check in about the incomplete task we discussed.',
    ]);
    assert.deepEqual(trigger({}), ['check_in', 'No activity for 10 minutes', 'Continue our conversation naturally.']);
    assert.deepEqual(trigger({ todos: { open: 0, all: 2 } }, { triggers: ['task_incomplete'] }), 'nothing_open');
    assert.deepEqual(trigger(all, { triggers: ['task_incomplete'] })[0], 'task_incomplete');
  });

  it('does not mention itself to the agent', () => {
    for (const prompt of Object.values(triggerPrompts)) {
      assert.doesNotMatch(prompt, /trigger|autonomous|automat|synthetic|system|vitrine|follow-up|[[\]{}]/i);
    }
  });

  it('is due after its delay without activity, and never in the past', () => {
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
    assert.equal(skipQuietHours(23 * hour + 1234, night, minuteOfDay), 31 * hour);
    assert.equal(skipQuietHours(7 * hour, night, minuteOfDay), 7 * hour);
    assert.equal(skipQuietHours(6 * hour, [quietHours({ from: '06:00', to: '06:00' })], minuteOfDay), 6 * hour);
    const always = [quietHours({ from: '00:00', to: '12:00' }), quietHours({ from: '12:00', to: '00:00' })];
    const never = decide({}, { quiet: always });
    assert.deepEqual(never, { due: false, why: 'always_quiet' });
  });

  describe('that waits for the end of quiet hours while clocks are set', () => {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' });
    const inBerlin = (at: number): number => {
      const [hours = 0, minutes = 0] = format.format(at).split(':').map(Number);
      return hours * 60 + minutes;
    };
    for (const [what, from, to, at, end] of [
      ['on any night', '22:00', '07:00', '2026-11-10T23:00:00+01:00', '2026-11-11T07:00:00+01:00'],
      ['set back', '22:00', '07:00', '2026-10-24T23:00:00+02:00', '2026-10-25T07:00:00+01:00'],
      ['set back, just before', '22:00', '07:00', '2026-10-25T02:59:59+02:00', '2026-10-25T07:00:00+01:00'],
      ['set forward', '22:00', '07:00', '2026-03-28T23:00:00+01:00', '2026-03-29T07:00:00+02:00'],
      ['set back over the end', '22:00', '02:30', '2026-10-24T23:00:00+02:00', '2026-10-25T02:30:00+02:00'],
      ['in the hour that comes again', '22:00', '02:30', '2026-10-25T02:10:00+01:00', '2026-10-25T02:30:00+01:00'],
      ['set forward over the end', '22:00', '02:30', '2026-03-29T01:00:00+01:00', '2026-03-29T03:30:00+02:00'],
    ] as const) {
      it(`${what}, until ${to}`, () => {
        assert.equal(skipQuietHours(Date.parse(at), [quietHours({ from, to })], inBerlin), Date.parse(end));
      });
    }

    it('set back, with two consecutive quiet hours', () => {
      const quiet = [quietHours({ from: '22:00', to: '02:30' }), quietHours({ from: '02:15', to: '07:00' })];
      const end = skipQuietHours(Date.parse('2026-10-24T23:00:00+02:00'), quiet, inBerlin);
      assert.equal(end, Date.parse('2026-10-25T07:00:00+01:00'));
    });
  });

  const refusals: readonly [NoFollowUpReason, Partial<FollowUpFacts>, Partial<FollowUpRules>][] = [
    ['not_idle', { isIdle: false }, {}],
    ['cancelled', { cancelledAt: 7 }, {}],
    ['session_limit', { sent: { count: 3, usd: 0 } }, {}],
    ['session_limit', {}, { perSession: 0 }],
    ['day_limit', { sentToday: { all: 20, agent: 0 } }, {}],
    ['day_limit', { sentToday: { all: 0, agent: 2 } }, { perDayOfAgent: 2 }],
    ['budget_used_up', { sent: { count: 1, usd: 0.5 } }, { usd: 0.5 }],
    ['budget_unknown', { sent: { count: 1, usd: null } }, { usd: 0.5 }],
    ['nothing_open', {}, { triggers: [] }],
    [
      'nothing_new',
      {
        unfinishedWork: { endsWithQuestion: false, todos: { open: 1, all: 2 }, undecided: null, isRepeat: false },
        sent: { count: 1, usd: 0.1, last: { type: 'task_incomplete', reason: '1 of 2 to-dos are open', usd: 0.1 } },
      },
      {},
    ],
    [
      'budget_used_up',
      { sent: { count: 1, usd: 0.3, last: { type: 'check_in', reason: '', usd: 0.3 } } },
      { usd: 0.5 },
    ],
  ];
  for (const [why, change, own] of refusals) {
    it(`is not sent: ${why} ${JSON.stringify({ ...change, ...own })}`, () => {
      assert.deepEqual(decide(change, own), { due: false, why });
    });
  }

  it('is not sent if follow-ups are off or paused', () => {
    const now = { now: noon, minuteOfDay, isPaused: false };
    assert.deepEqual(decideFollowUp(facts, null, now), { due: false, why: 'off' });
    assert.deepEqual(decide({}, {}, noon, true), { due: false, why: 'paused' });
  });

  it('is sent again if something is new: fewer to-dos, another question', () => {
    const last = { type: 'task_incomplete', reason: '2 of 2 to-dos are open', usd: 0 } as const;
    const unfinishedWork = { endsWithQuestion: false, todos: { open: 1, all: 2 }, undecided: null, isRepeat: false };
    assert.equal(decide({ unfinishedWork, sent: { count: 1, usd: 0, last } }).due, true);
    const reason = 'The last message ends with an unanswered question';
    const asked = { type: 'question_unanswered', reason, usd: 0 } as const;
    const again = (isRepeat: boolean) =>
      decide({
        unfinishedWork: { ...unfinishedWork, endsWithQuestion: true, todos: null, isRepeat },
        sent: { count: 1, usd: 0, last: asked },
      });
    assert.equal(again(false).due, true);
    assert.deepEqual(again(true), { due: false, why: 'nothing_new' });
  });

  it('is sent again if the conversation continued after it was cancelled', () => {
    assert.equal(decide({ cancelledAt: 7, total: 9 }).due, true);
  });

  it('may use the rest of its budget', () => {
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

  it('use the lower limit and all quiet hours', () => {
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

  it('keep limits if a setting is mistyped, and allow nothing because of it', () => {
    const { value, problems } = parseFollowUps({ executors: ['claude-code'], triggers: ['nag'], max_per_session: 1 });
    assert.deepEqual(value, { max_per_session: 1 });
    assert.equal(problems.length, 1);
    assert.deepEqual(parseFollowUps({ executors: ['claude-code'], max_per_day: 'many' }).value, { max_per_day: 0 });
    assert.deepEqual(parseFollowUps(undefined), { value: {}, problems: [] });
    assert.equal(parseFollowUps([]).problems.length, 1);
  });
});
