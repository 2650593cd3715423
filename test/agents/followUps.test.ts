import assert from 'node:assert/strict';
import { Engine } from '../../src/engine/engine.ts';
import { FollowUpScheduler } from '../../src/engine/followUps/scheduler.ts';
import type { NormalizedEntryMetadata, TriggerType } from '../../src/model/transcript/metadata.ts';
import { ensureClaudeCode } from '../support/agents/claudeCode.ts';
import { agentPlace, type AgentPlace } from '../support/agents/place.ts';
import { talkingDeps } from '../support/agents/talk.ts';
import { type Scenarios, text, tool } from '../support/models/scripts/scenario.ts';
import { teaQuestion } from '../support/models/scripts/teaQuestion.ts';
import { skip } from '../support/skip.ts';
import { until } from '../support/until.ts';

const list = tool('TodoWrite', {
  todos: [
    { content: 'Look', status: 'completed', activeForm: 'Looking' },
    { content: 'Write', status: 'pending', activeForm: 'Writing' },
  ],
});

const scenarios = (): Scenarios => ({
  idle: [{ blocks: [text('Done.')] }],
  question: [{ blocks: [text('Tea or coffee?')] }],
  list: [{ blocks: [list] }, { blocks: [text('Enough for now.')] }],
  ask: teaQuestion,
});

const expected: readonly (readonly [TriggerType, string, string])[] = [
  ['check_in', 'Rest. [[idle]]', 'Continue our conversation naturally.'],
  ['question_unanswered', 'Ask. [[question]]', "The user asked a question but hasn't responded. Follow up on it."],
  ['task_incomplete', 'Plan. [[list]]', 'Check in about the incomplete task we discussed.'],
  ['waiting_for_decision', 'Tea? [[ask]]', 'Follow up on the decision the user needs to make.'],
];

describe('follow-ups to Claude Code', function () {
  let place: AgentPlace | undefined;
  let engine: Engine | undefined;
  let scheduler: FollowUpScheduler | undefined;
  afterEach(async () => {
    scheduler?.dispose();
    await engine?.dispose();
    await place?.remove();
  });

  for (const [type, prompt, words] of expected) {
    it(`contain only ${type}, once, marked in the record`, async function () {
      // It has the list of todos that newer versions replaced.
      const installed = await ensureClaudeCode('2.0.77');
      if ('missing' in installed) skip(this, installed.missing);
      const { model, ...rest } = (place = await agentPlace(installed.program, { scenarios }));
      const followUps = {
        executors: ['claude-code' as const],
        triggers: expected.map(([trigger]) => trigger),
        delay_minutes: 0.01,
        max_per_session: 1,
      };
      // No one answers a request in time.
      const timing = { requestMs: 500 };
      engine = new Engine({ ...talkingDeps(rest), settings: () => ({ followUps }), timing });
      const at = engine;
      scheduler = new FollowUpScheduler({
        engine,
        clock: Date.now,
        log: talkingDeps(rest).log,
        mayGetFollowUps: () => true,
        send: async ({ sessionId, prompt, trigger }) => {
          const handle = await at.resume(sessionId, { prompt, trigger });
          await handle.done;
          handle.dispose();
        },
        after: (ms, then) => {
          const timer = setTimeout(then, ms);
          return { dispose: () => clearTimeout(timer) };
        },
      });
      const handle = await engine.start({ agent: 'claude-code', cwd: rest.workspace, prompt });
      const result = await handle.done;
      assert.equal(result?.success, true, result?.error);
      await until(`a follow-up for ${type}`, () => handle.turns().length === 2 && !handle.isLive());
      const all = await handle.read(0, handle.entryCount());
      const [first, second, ...others] = all.filter(({ type: { kind }, origin }) => kind === 'user_message' && origin);
      assert.deepEqual([first?.origin, first?.metadata?.synthetic], ['human', undefined]);
      assert.deepEqual([second?.origin, second?.content, others.length], ['follow_up', words, 0]);
      const { synthetic, trigger_type, trigger_reason }: NormalizedEntryMetadata = second?.metadata ?? {};
      assert.deepEqual([synthetic, trigger_type, typeof trigger_reason], [true, type, 'string']);
      await model.waitFor(({ request }) => JSON.stringify(request).includes(words));
      assert.deepEqual(await engine.followUps.look(handle.id), { due: false, why: 'session_limit' });
      handle.dispose();
      const said = JSON.stringify(model.asked.map(({ request }) => request));
      for (const hidden of ['trigger_type', 'check_in', '"synthetic"']) assert.ok(!said.includes(hidden), hidden);
    });
  }
});
