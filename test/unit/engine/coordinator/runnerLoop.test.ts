import assert from 'node:assert/strict';
import { maxErrorLength, type CoordinatorLink } from '../../../../src/coordinator/api.ts';
import { CoordinatorError, type CoordinatorErrorCode } from '../../../../src/coordinator/errors.ts';
import type { JoinedCoordinator } from '../../../../src/engine/coordinator/join.ts';
import { RunnerLoop, type Outcome, type RunnerDeps } from '../../../../src/engine/coordinator/runner.ts';
import { RunnerGroup } from '../../../../src/engine/coordinator/runnerGroup.ts';
import { changedLink, CoordinatorStore } from '../../../support/coordinatorStore.ts';
import { until } from '../../../support/until.ts';

const refused = (code: CoordinatorErrorCode) => (error: unknown) => CoordinatorError.is(error, code);
const registration = { hostname: 'h', project_dir: '/w', executor_type: 'replay' };
const wanted = { executor_type: 'replay', prompt: 'Do it' };
const completed: Outcome = { status: 'completed' };

/** A promise and what resolves it. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** What runs an agent: until it has started there is nothing that a stop could end, as with the engine. */
class Agent {
  readonly begun = gate();
  readonly started = gate();
  readonly #ended = gate();
  executed = 0;
  stops = 0;
  #runs = false;

  asDeps(): Pick<RunnerDeps, 'execute' | 'stop'> {
    return {
      execute: (_job, started) => this.#execute(started),
      stop: () => {
        this.stops += 1;
        if (this.#runs) this.#ended.open();
        return Promise.resolve();
      },
    };
  }

  async #execute(started: () => void): Promise<Outcome> {
    this.executed += 1;
    this.begun.open();
    await this.started.opened;
    this.#runs = true;
    started();
    await this.#ended.opened;
    return { status: 'stopped' };
  }
}

describe('a runner', () => {
  let store: CoordinatorStore;
  beforeEach(() => {
    store = new CoordinatorStore();
  });
  afterEach(() => store.close());

  async function begin(deps: Partial<RunnerDeps>): Promise<RunnerLoop> {
    const loop = new RunnerLoop({
      registration,
      join: () => store.join(),
      execute: () => Promise.resolve(completed),
      stop: () => Promise.resolve(),
      log: store.deps.log,
      ...deps,
    });
    await loop.start();
    store.atEnd(() => loop.close());
    return loop;
  }
  /** A coordinator of which some calls do something else. */
  const joinChanged =
    (change: (link: CoordinatorLink) => Partial<CoordinatorLink>) => async (): Promise<JoinedCoordinator> => {
      const joined = await store.join();
      return { ...joined, link: changedLink(joined.link, change(joined.link)) };
    };
  const statusOf = async ({ link }: JoinedCoordinator, id: string) =>
    (await link.runs()).find(({ run_id }) => run_id === id)?.status;
  const ends = (host: JoinedCoordinator, id: string, status: string) =>
    until(`${id} ${status}`, async () => (await statusOf(host, id)) === status);

  it('does not start a run that is to stop before it has come', async () => {
    const host = await store.join();
    let executed = 0;
    const loop = await begin({
      join: joinChanged((link) => ({
        claim: async (claim) => {
          const job = await link.claim(claim);
          if (job === null) return job;
          const news = gate();
          link.onRun(({ status }) => {
            if (status === 'stopping') news.open();
          });
          await host.link.stopRun(job.run.run_id);
          await news.opened;
          return job;
        },
      })),
      execute: () => {
        executed += 1;
        return Promise.resolve(completed);
      },
    });
    const { run_id } = await host.link.createRun(wanted);
    await ends(host, run_id, 'stopped');
    assert.equal(executed, 0);
    await loop.close();
  });

  it('stops a run that was to stop while it was being prepared', async () => {
    const host = await store.join();
    const agent = new Agent();
    await begin(agent.asDeps());
    const { run_id } = await host.link.createRun(wanted);
    await agent.begun.opened;
    assert.equal((await host.link.stopRun(run_id)).status, 'stopping');
    await until('the stop that comes too early', () => agent.stops === 1);
    agent.started.open();
    await ends(host, run_id, 'stopped');
    assert.equal(agent.stops, 2);
  });

  it('that is closed stops what was being prepared, and starts nothing that is on its way', async () => {
    const host = await store.join();
    const agent = new Agent();
    const claimed = gate();
    const given = gate();
    let claims = 0;
    const loop = await begin({
      ...agent.asDeps(),
      registration: { ...registration, limit: 2 },
      join: joinChanged((link) => ({
        claim: async (claim) => {
          const job = await link.claim(claim);
          if (job === null) return job;
          claims += 1;
          if (claims === 1) return job;
          claimed.open();
          await given.opened;
          return job;
        },
      })),
    });
    const [first, second] = [await host.link.createRun(wanted), await host.link.createRun(wanted)];
    await agent.begun.opened;
    await claimed.opened;
    const closed = loop.close();
    given.open();
    agent.started.open();
    await closed;
    assert.deepEqual([await statusOf(host, first.run_id), await statusOf(host, second.run_id)], ['stopped', 'stopped']);
    assert.equal(agent.executed, 1);
  });

  it('hears of a stop that was accepted while it had no coordinator', async () => {
    const first = await store.join();
    const agent = new Agent();
    const back = gate();
    let joins = 0;
    await begin({
      ...agent.asDeps(),
      join: async () => {
        joins += 1;
        if (joins > 1) await back.opened;
        return store.join();
      },
    });
    const { run_id } = await first.link.createRun(wanted);
    agent.started.open();
    await ends(first, run_id, 'running');
    await first.close();
    const next = await store.join();
    assert.equal((await next.link.stopRun(run_id)).status, 'stopping');
    back.open();
    await ends(next, run_id, 'stopped');
  });

  it('takes again what it was given in an answer that never came', async () => {
    const host = await store.join();
    const executed: string[] = [];
    let lost = false;
    await begin({
      join: joinChanged((link) => ({
        claim: async (claim) => {
          const job = await link.claim(claim);
          if (job === null || lost) return job;
          lost = true;
          throw new CoordinatorError('unreachable', 'No answer.');
        },
      })),
      execute: ({ run }) => {
        executed.push(run.run_id);
        return Promise.resolve(completed);
      },
    });
    const first = await host.link.createRun(wanted);
    await until('the claim', () => lost);
    const second = await host.link.createRun(wanted);
    await ends(host, second.run_id, 'completed');
    assert.deepEqual(executed, [first.run_id, second.run_id]);
  });

  it('says why a run failed at no more than a stated length, and continues', async () => {
    const host = await store.join();
    await begin({
      execute: ({ run }) =>
        Promise.resolve(run.prompt === 'bad' ? { status: 'failed', error: 'e'.repeat(100_000) } : completed),
    });
    const bad = await host.link.createRun({ ...wanted, prompt: 'bad' });
    const next = await host.link.createRun(wanted);
    await ends(host, next.run_id, 'completed');
    const failed = (await host.link.runs()).find(({ run_id }) => run_id === bad.run_id);
    assert.deepEqual([failed?.status, failed?.error], ['failed', 'e'.repeat(maxErrorLength)]);
  });

  it('says that a run has ended also where the coordinator does not take why', async () => {
    const host = await store.join();
    await begin({
      join: joinChanged((link) => ({
        report: (seat, report) =>
          report.error === undefined
            ? link.report(seat, report)
            : Promise.reject(new CoordinatorError('invalid', 'error: too long')),
      })),
      execute: () => Promise.resolve({ status: 'failed', error: 'Why' }),
    });
    const { run_id } = await host.link.createRun(wanted);
    await ends(host, run_id, 'failed');
  });

  it('says each thing once, however quick a run is', async () => {
    const host = await store.join();
    const said: string[] = [];
    await begin({
      join: joinChanged((link) => ({
        report: (seat, report) => {
          said.push(`${report.run_id} ${report.status}`);
          return link.report(seat, report);
        },
      })),
      execute: (_job, started) => {
        started();
        return Promise.resolve(completed);
      },
    });
    const ids: string[] = [];
    for (let at = 0; at < 20; at += 1) ids.push((await host.link.createRun(wanted)).run_id);
    await ends(host, ids[19]!, 'completed');
    assert.deepEqual(
      said,
      ids.flatMap((id) => [`${id} running`, `${id} completed`]),
    );
    assert.deepEqual(store.log, []);
  });

  for (const code of ['conflict', 'unreachable'] as const) {
    it(`that finishes leaves also where every next coordinator says ${code}`, async () => {
      const host = await store.join();
      const [initial, end] = [gate(), gate()];
      let joins = 0;
      const loop = await begin({
        join: () => {
          joins += 1;
          return joins === 1 ? store.join() : Promise.reject(new CoordinatorError(code, 'No.'));
        },
        execute: async () => {
          initial.open();
          await end.opened;
          return completed;
        },
      });
      await host.link.createRun(wanted);
      await initial.opened;
      const closed = loop.close({ finish: true });
      await host.close();
      await until('another try', () => joins > 1);
      end.open();
      await closed;
    });
  }

  it('that is closed before it has begun is not there afterwards', async () => {
    const loop = new RunnerLoop({
      registration,
      join: () => store.join(),
      execute: () => Promise.resolve(completed),
      stop: () => Promise.resolve(),
      log: store.deps.log,
    });
    const started = loop.start();
    await Promise.all([loop.close({ finish: true }), assert.rejects(started, refused('unreachable'))]);
    assert.deepEqual(await (await store.join()).link.runners(), []);
  });

  for (const where of ['join', 'register'] as const) {
    it(`of a group that is closed while it begins to ${where} leaves nothing behind`, async () => {
      const host = await store.join();
      const [reached, on] = [gate(), gate()];
      const pass = async (stage: string): Promise<void> => {
        if (stage !== where) return;
        reached.open();
        await on.opened;
      };
      let executed = 0;
      const group = new RunnerGroup({
        join: async () => {
          await pass('join');
          return joinChanged((link) => ({
            register: async (asked) => {
              const runner = await link.register(asked);
              await pass('register');
              return runner;
            },
          }))();
        },
        log: store.deps.log,
        onRun: () => undefined,
      });
      const added = group.add({
        registration,
        execute: () => {
          executed += 1;
          return Promise.resolve(completed);
        },
        stop: () => Promise.resolve(),
      });
      await reached.opened;
      const closed = group.close({ finish: true });
      on.open();
      await Promise.all([added, closed]);
      await assert.rejects(group.create(wanted), refused('unreachable'));
      const { run_id } = await host.link.createRun(wanted);
      assert.ok((await host.link.runners()).every(({ status }) => status !== 'online'));
      assert.deepEqual([await statusOf(host, run_id), executed], ['pending', 0]);
      await host.link.register({ ...registration, instance: 'instance-2' });
    });
  }
});
