import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { EngineDeps } from '../../../../src/engine/engineDeps.ts';
import type { SessionHandle } from '../../../../src/engine/api.ts';
import { blueprintsFolder, loadBlueprints } from '../../../../src/engine/blueprints/load.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { FollowUpRefused } from '../../../../src/engine/followUps/followUps.ts';
import { FollowUpScheduler } from '../../../../src/engine/followUps/scheduler.ts';
import type { FollowUpSettings } from '../../../../src/insight/followUps/rules.ts';
import { RecordStore } from '../../../../src/engine/record/recordStore.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import type { TriggerType } from '../../../../src/model/transcript/metadata.ts';
import type { Todo, ToolUse } from '../../../../src/model/transcript/tool.ts';
import { Bench, benchDeps, readEntries, waitForResult, type Step } from '../../../support/fakeAgent/engine.ts';
import { said } from '../../../support/sessions/madeEntries.ts';
import { aSession, aSummary, appendAll } from '../../../support/sessions/records.ts';
import { until } from '../../../support/until.ts';

const hour = 60 * 60_000;
const question: readonly Step[] = [{ init: true }, { say: 'Tea or coffee?' }, { result: { text: 'Tea or coffee?' } }];

describe('follow-ups that are about to run', function () {
  let bench: Bench;
  let now: number;
  beforeEach(() => {
    bench = new Bench();
    now = new Date(2026, 10, 22, 12).getTime();
  });
  afterEach(() => bench.close());

  const on: FollowUpSettings = { executors: ['claude-code'], delay_minutes: 0.001 };
  const engineWith = (followUps: FollowUpSettings, change: Partial<EngineDeps> = {}): Promise<Engine> => {
    const settings = () => ({ ...benchDeps(bench.store).settings(), followUps });
    return bench.engine({ settings, clock: () => now, ...change });
  };
  async function ended(engine: Engine, steps = question): Promise<SessionHandle> {
    const handle = await engine.start(bench.request(steps));
    await waitForResult(handle);
    return handle;
  }
  /** Sends what is due as the scheduler does. */
  async function send(engine: Engine, id: string, own?: { readonly total?: number; readonly type?: TriggerType }) {
    const decision = await engine.followUps.look(id);
    const { trigger, total } = decision.due
      ? decision
      : { trigger: { type: 'check_in' as const, reason: '' }, total: 0 };
    const handle = await engine.resume(id, { prompt: 'Forged.', trigger: { ...trigger, total, ...own } });
    await waitForResult(handle);
    handle.dispose();
  }
  const refused = (why: FollowUpRefused['why']) => (error: unknown) => FollowUpRefused.is(error) && error.why === why;

  it("start as a marked turn with the trigger's words, whatever the caller passes", async () => {
    const engine = await engineWith(on);
    const handle = await ended(engine);
    await send(engine, handle.id);
    const prompt = (await readEntries(handle)).findLast(({ type }) => type.kind === 'user_message');
    assert.equal(prompt?.origin, 'follow_up');
    assert.equal(prompt.content, "The user asked a question but hasn't responded. Follow up on it.");
    const { synthetic, trigger_type, trigger_reason } = prompt.metadata ?? {};
    assert.deepEqual(
      { synthetic, trigger_type, trigger_reason },
      {
        synthetic: true,
        trigger_type: 'question_unanswered',
        trigger_reason: 'The last message ends with an unanswered question',
      },
    );
    const again = await bench.engine();
    const reopened = await again.open(handle.id);
    assert.deepEqual((await readEntries(reopened))[prompt.index]?.metadata, prompt.metadata, 'after a restart');
    reopened.dispose();
    handle.dispose();
  });

  it('respect the limit of a session across windows', async () => {
    const engine = await engineWith({ ...on, max_per_session: 2, triggers: ['check_in'] });
    const handle = await ended(engine);
    await send(engine, handle.id);
    const other = await engineWith({ ...on, max_per_session: 2, triggers: ['check_in'] });
    await send(other, handle.id);
    await assert.rejects(send(engine, handle.id), refused('session_limit'));
    await assert.rejects(send(other, handle.id), refused('session_limit'));
    handle.dispose();
  });

  it('run once per state of a conversation, even if requested several times', async () => {
    const engine = await engineWith({ ...on, max_per_session: 50, triggers: ['check_in'] });
    const handle = await ended(engine);
    const { total } = await due(engine, handle.id);
    const storm = await Promise.allSettled(Array.from({ length: 12 }, () => send(engine, handle.id, { total })));
    assert.equal(storm.filter(({ status }) => status === 'fulfilled').length, 1);
    const prompts = (await readEntries(handle)).filter(({ metadata }) => metadata?.synthetic === true);
    assert.equal(prompts.length, 1);
    handle.dispose();
  });

  it('respect the daily limit over all sessions, even if the clock is changed', async () => {
    const settings = { ...on, max_per_day: 2, triggers: ['check_in'] satisfies TriggerType[] };
    const engine = await engineWith(settings);
    const [a, b, c] = [await ended(engine), await ended(engine), await ended(engine)];
    await send(engine, a.id);
    await send(engine, b.id);
    await assert.rejects(send(engine, c.id), refused('day_limit'));
    now += 20 * hour;
    await assert.rejects(send(engine, c.id), refused('day_limit'), 'a day later by the clock alone');
    now -= 30 * hour;
    await assert.rejects(send(engine, c.id), refused('day_limit'));
    now += 10 * hour;
    const other = await engineWith(settings);
    await assert.rejects(send(other, c.id), refused('day_limit'), 'in another window');
    for (const handle of [a, b, c]) handle.dispose();
  });

  it('are refused when paused, cancelled, in quiet hours, early, turned off, or outdated', async () => {
    const engine = await engineWith(on);
    const handle = await ended(engine);
    const { total } = await due(engine, handle.id);
    await engine.followUps.pause();
    await assert.rejects(send(engine, handle.id), refused('paused'));
    await engine.followUps.resume();
    const quiet = await engineWith({ ...on, quiet_hours: { from: '11:00', to: '13:00' } });
    await assert.rejects(send(quiet, handle.id), refused('quiet'));
    const later = await engineWith({ ...on, delay_minutes: 10 });
    await assert.rejects(send(later, handle.id), refused('early'));
    await assert.rejects(send(engine, handle.id, { total: total - 1 }), refused('changed'));
    await assert.rejects(send(engine, handle.id, { type: 'check_in' }), refused('changed'));
    await engine.followUps.cancel(handle.id);
    await assert.rejects(send(engine, handle.id), refused('cancelled'));
    await engine.followUps.turn(handle.id, false);
    await assert.rejects(send(engine, handle.id), refused('off'));
    await engine.followUps.turn(handle.id, true);
    await send(engine, handle.id);
    handle.dispose();
  });

  it('respect their budget', async () => {
    const engine = await engineWith({ ...on, max_budget_usd: 0.015, triggers: ['check_in'] });
    const handle = await ended(engine);
    await send(engine, handle.id);
    const decision = await engine.followUps.look(handle.id);
    assert.ok(decision.due || decision.why.startsWith('budget'), 'what was spent counts');
    assert.notDeepEqual(decision.due && decision.usd, 0.015);
    handle.dispose();
  });

  it('are not sent to failed, stopped or child sessions', async () => {
    const engine = await engineWith(on);
    const failed = await ended(engine, [{ init: true }, { say: 'Tea?' }, { exit: 3 }]);
    assert.deepEqual(await engine.followUps.look(failed.id), { due: false, why: 'not_idle' });
    const parent = await ended(engine);
    const child = await engine.start({ ...bench.request(question), parent: parent.id });
    await waitForResult(child);
    assert.deepEqual(await engine.followUps.look(child.id), { due: false, why: 'not_idle' });
    for (const handle of [failed, parent, child]) handle.dispose();
  });

  it('can be enabled by an agent file', async () => {
    const load = (folder: string) =>
      loadBlueprints([{ folder: path.join(folder, blueprintsFolder), level: 'workspace' }]);
    const use = { options: () => ({}), environment: {}, input: () => Promise.resolve(undefined) };
    const engine = await engineWith({}, { blueprints: { load, use } });
    const folder = path.join(bench.cwd, blueprintsFolder);
    await mkdir(folder, { recursive: true });
    writeFileSync(
      path.join(folder, 'asker.yaml'),
      'follow_ups: { delay_minutes: 1, triggers: [question_unanswered] }\n',
    );
    const handle = await engine.start({ ...bench.request(question), blueprint: { name: 'asker' } });
    await waitForResult(handle);
    const plain = await ended(engine);
    assert.equal((await due(engine, handle.id)).at, now + 60_000);
    assert.deepEqual(await engine.followUps.look(plain.id), { due: false, why: 'off' });
    handle.dispose();
    plain.dispose();
  });

  it('accept only the value true, and report invalid values in a record', async () => {
    const engine = await engineWith(on);
    const handle = await ended(engine);
    await send(engine, handle.id);
    handle.dispose();
    await engine.dispose();
    const file = path.join(bench.store, 'sessions', handle.id, 'record.jsonl');
    const text = readFileSync(file, 'utf8');
    assert.match(text, /"synthetic":true/);
    writeFileSync(file, text.replaceAll('"synthetic":true', '"synthetic":"true"'));
    const again = await engineWith(on);
    const reopened = await again.open(handle.id);
    const prompts = (await readEntries(reopened)).filter(({ type }) => type.kind === 'user_message');
    assert.deepEqual(
      prompts.map(({ metadata }) => metadata?.synthetic),
      [undefined, undefined],
    );
    assert.deepEqual(
      [reopened.summary(), ...(await again.list())].map(({ synthetic }) => synthetic),
      [undefined, undefined],
    );
    assert.match(reopened.problems().join('\n'), /mistyped_metadata/);
    assert.match(bench.log.join('\n'), /Metadata structure validation failed/);
    reopened.dispose();
  });

  it('find unfinished work from long before the end of a session', async () => {
    const list: Todo[] = [
      { text: 'Look', status: 'completed' },
      { text: 'Leap', status: 'pending' },
    ];
    const todos: ToolUse = {
      toolName: 'TodoWrite',
      callId: 'c',
      status: 'success',
      action: { kind: 'todo', todos: list },
    };
    const saved: NormalizedEntry[] = [
      said(0, 'Do it', 'user_message'),
      { ...said(1, ''), type: { kind: 'tool_use', tool: todos } },
      ...Array.from({ length: 3000 }, (_, at) => said(at + 2, 'Working.')),
    ];
    const store = new RecordStore(bench.store, { clock: Date.now, log: { warn: (message) => assert.fail(message) } });
    const session = aSession({ status: 'finished', project_dir: bench.cwd });
    const writer = await store.create(session);
    const summary = aSummary({ ...session, outcome: 'completed', entries: saved.length });
    await appendAll(writer, [
      ...saved.map((entry) => ({ kind: 'entry', entry }) as const),
      { kind: 'summary', summary, turns: [], turns_omitted: 0 },
    ]);
    await writer.close();
    now = Date.parse(summary.updated_at);
    const { trigger } = await due(await engineWith(on), session.session_id);
    assert.deepEqual(trigger, { type: 'task_incomplete', reason: '1 of 2 to-dos are open' });
  });

  it('are counted in a record without summaries', async () => {
    const engine = await engineWith(on);
    const handle = await ended(engine);
    await send(engine, handle.id);
    const counted = handle.summary().synthetic;
    handle.dispose();
    await engine.dispose();
    const file = path.join(bench.store, 'sessions', handle.id, 'record.jsonl');
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, lines.filter((line) => !line.startsWith('{"kind":"summary"')).join('\n'));
    const again = await engineWith(on);
    const reopened = await again.open(handle.id);
    assert.equal(counted?.runs, 1);
    assert.deepEqual(reopened.summary().synthetic, counted);
    reopened.dispose();
  });

  describe('scheduled follow-ups', () => {
    /** Timers that a test lets run out. */
    class Timers {
      readonly #waiting: { ms: number; then: () => void }[] = [];
      readonly after = (ms: number, then: () => void): { dispose(): void } => {
        const timer = { ms, then };
        this.#waiting.push(timer);
        return { dispose: () => void this.#waiting.splice(this.#waiting.indexOf(timer) >>> 0, 1) };
      };
      waits(): number[] {
        return this.#waiting.map(({ ms }) => ms);
      }
      runOut(longest: number): void {
        for (const timer of this.#waiting.filter(({ ms }) => ms <= longest)) {
          this.#waiting.splice(this.#waiting.indexOf(timer), 1);
          timer.then();
        }
      }
    }
    const minutes: FollowUpSettings = { executors: ['claude-code'], delay_minutes: 10 };
    function scheduler(engine: Engine, timers: Timers): { scheduler: FollowUpScheduler; sent: string[] } {
      const sent: string[] = [];
      const scheduler = new FollowUpScheduler({
        engine,
        clock: () => now,
        log: benchDeps(bench.store).log,
        mayGetFollowUps: () => true,
        send: async ({ sessionId, prompt, trigger }) => {
          const handle = await engine.resume(sessionId, { prompt, trigger });
          sent.push(sessionId);
          await handle.done;
          handle.dispose();
        },
        after: timers.after,
      });
      return { scheduler, sent };
    }

    it('wait for their delay, run once, and are planned again', async () => {
      const engine = await engineWith(minutes);
      const timers = new Timers();
      const { scheduler: followUps, sent } = scheduler(engine, timers);
      const handle = await ended(engine);
      timers.runOut(1000);
      await until('a plan', () => followUps.due().length === 1);
      assert.deepEqual(timers.waits(), [600_000]);
      // A clock that is set brings nothing forward.
      now += 5 * hour;
      assert.deepEqual(sent, []);
      now -= 5 * hour - 600_000;
      timers.runOut(600_000);
      await until('its end', () => sent.length === 1 && !handle.isLive());
      timers.runOut(1000);
      // The agent heard it and asked nothing.
      assert.deepEqual(await engine.followUps.look(handle.id), { due: false, why: 'nothing_open' });
      assert.deepEqual(followUps.due(), []);
      followUps.dispose();
      handle.dispose();
    });

    it('are cancelled when the user continues', async () => {
      const engine = await engineWith(minutes);
      const timers = new Timers();
      const { scheduler: followUps, sent } = scheduler(engine, timers);
      const handle = await ended(engine);
      timers.runOut(1000);
      await until('a plan', () => followUps.due().length === 1);
      const resumed = await engine.resume(handle.id, { prompt: 'Coffee.' });
      assert.deepEqual(followUps.due(), []);
      await waitForResult(resumed);
      timers.runOut(600_000);
      assert.deepEqual(sent, []);
      followUps.dispose();
      handle.dispose();
      resumed.dispose();
    });

    it('survive a restart, and give the user time to react', async () => {
      const engine = await engineWith(minutes);
      const handle = await ended(engine);
      handle.dispose();
      await engine.dispose();
      now += hour;
      const again = await engineWith(minutes);
      const timers = new Timers();
      const { scheduler: followUps, sent } = scheduler(again, timers);
      await followUps.checkAll();
      assert.deepEqual(timers.waits(), [60_000]);
      await followUps.cancel(handle.id);
      assert.deepEqual(followUps.due(), []);
      await followUps.checkAll();
      assert.deepEqual([followUps.due(), sent], [[], []], 'what was cancelled stays so');
      followUps.dispose();
    });
  });

  async function due(engine: Engine, id: string) {
    const decision = await engine.followUps.look(id);
    assert.ok(decision.due, JSON.stringify(decision));
    return decision;
  }
});
