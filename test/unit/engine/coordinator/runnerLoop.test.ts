import assert from 'node:assert/strict';
import { maxErrorLength, type CoordinatorLink } from '../../../../src/coordinator/api.ts';
import { CoordinatorError } from '../../../../src/coordinator/errors.ts';
import { RunnerLoop, type Outcome, type RunnerDeps } from '../../../../src/engine/coordinator/runner.ts';
import { changedLink, CoordinatorStore } from '../../../support/queue/coordinatorStore.ts';
import { until } from '../../../support/until.ts';

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

  async function begin(link: CoordinatorLink, deps: Partial<RunnerDeps>): Promise<RunnerLoop> {
    const { loop } = await RunnerLoop.start({
      registration,
      link,
      execute: () => Promise.resolve(completed),
      stop: () => Promise.resolve(),
      log: store.deps.log,
      ...deps,
    });
    store.atEnd(() => loop.close());
    return loop;
  }
  const statusOf = async (link: CoordinatorLink, id: string) =>
    (await link.runs()).find(({ run_id }) => run_id === id)?.status;
  const ends = (link: CoordinatorLink, id: string, status: string) =>
    until(`${id} ${status}`, async () => (await statusOf(link, id)) === status);

  it('does not start a run that is to stop before it has come', async () => {
    const link = await store.coordinator();
    let executed = 0;
    const stopped = changedLink(link, {
      claim: async (claim) => {
        const job = await link.claim(claim);
        if (job !== null) await link.stopRun(job.run.run_id);
        return job;
      },
    });
    await begin(stopped, {
      execute: () => {
        executed += 1;
        return Promise.resolve(completed);
      },
    });
    const { run_id } = await link.createRun(wanted);
    await ends(link, run_id, 'stopped');
    assert.equal(executed, 0);
  });

  it('stops a run that was to stop while it was being prepared', async () => {
    const link = await store.coordinator();
    const agent = new Agent();
    await begin(link, agent.asDeps());
    const { run_id } = await link.createRun(wanted);
    await agent.begun.opened;
    assert.equal((await link.stopRun(run_id)).status, 'stopping');
    await until('the stop that comes too early', () => agent.stops === 1);
    agent.started.open();
    await ends(link, run_id, 'stopped');
    assert.equal(agent.stops, 2);
  });

  it('that is closed stops runs in preparation, and starts no run that is still arriving', async () => {
    const link = await store.coordinator();
    const agent = new Agent();
    const [claimed, answered] = [gate(), gate()];
    let claims = 0;
    const slow = changedLink(link, {
      claim: async (claim) => {
        const job = await link.claim(claim);
        if (job === null) return job;
        claims += 1;
        if (claims === 1) return job;
        claimed.open();
        await answered.opened;
        return job;
      },
    });
    const loop = await begin(slow, { ...agent.asDeps(), registration: { ...registration, limit: 2 } });
    const [first, second] = [await link.createRun(wanted), await link.createRun(wanted)];
    await agent.begun.opened;
    await claimed.opened;
    const closed = loop.close();
    answered.open();
    agent.started.open();
    await closed;
    assert.deepEqual([await statusOf(link, first.run_id), await statusOf(link, second.run_id)], ['stopped', 'stopped']);
    assert.equal(agent.executed, 1);
  });

  it('that is finishing takes no more runs, and unregisters when its runs have ended', async () => {
    const link = await store.coordinator();
    const agent = new Agent();
    const loop = await begin(link, agent.asDeps());
    const [first, second] = [await link.createRun(wanted), await link.createRun(wanted)];
    agent.started.open();
    await ends(link, first.run_id, 'running');
    const closed = loop.close({ finish: true });
    assert.equal((await link.runners())[0]?.status, 'online');
    assert.equal(agent.stops, 0);
    await link.stopRun(first.run_id);
    await closed;
    assert.deepEqual([await statusOf(link, first.run_id), await statusOf(link, second.run_id)], ['stopped', 'pending']);
    assert.ok((await link.runners()).every(({ status }) => status !== 'online'));
  });

  it('takes runs again whose claim it never received', async () => {
    const link = await store.coordinator();
    const executed: string[] = [];
    let lost = false;
    const losing = changedLink(link, {
      claim: async (claim) => {
        const job = await link.claim(claim);
        if (job === null || lost) return job;
        lost = true;
        throw new CoordinatorError('unreachable', 'No answer.');
      },
    });
    await begin(losing, {
      execute: ({ run }) => {
        executed.push(run.run_id);
        return Promise.resolve(completed);
      },
    });
    const first = await link.createRun(wanted);
    await until('the claim', () => lost);
    const second = await link.createRun(wanted);
    await ends(link, second.run_id, 'completed');
    assert.deepEqual(executed, [first.run_id, second.run_id]);
  });

  it('says why a run failed at no more than a stated length, and continues', async () => {
    const link = await store.coordinator();
    await begin(link, {
      execute: ({ run }) =>
        Promise.resolve(run.prompt === 'bad' ? { status: 'failed', error: 'e'.repeat(100_000) } : completed),
    });
    const bad = await link.createRun({ ...wanted, prompt: 'bad' });
    const next = await link.createRun(wanted);
    await ends(link, next.run_id, 'completed');
    const failed = (await link.runs()).find(({ run_id }) => run_id === bad.run_id);
    assert.deepEqual([failed?.status, failed?.error], ['failed', 'e'.repeat(maxErrorLength)]);
  });

  it('says each thing once, however quick a run is', async () => {
    const link = await store.coordinator();
    const said: string[] = [];
    const heard = changedLink(link, {
      report: (runnerRef, report) => {
        said.push(`${report.run_id} ${report.status}`);
        return link.report(runnerRef, report);
      },
    });
    await begin(heard, {
      execute: (_job, started) => {
        started();
        return Promise.resolve(completed);
      },
    });
    const ids: string[] = [];
    for (let at = 0; at < 20; at += 1) ids.push((await link.createRun(wanted)).run_id);
    await ends(link, ids[19]!, 'completed');
    assert.deepEqual(
      said,
      ids.flatMap((id) => [`${id} running`, `${id} completed`]),
    );
    assert.deepEqual(store.log, []);
  });
});
