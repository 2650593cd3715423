import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { CoordinatorError, type CoordinatorErrorCode } from '../../../../src/coordinator/errors.ts';
import { Journal } from '../../../../src/engine/coordinator/journal.ts';
import { journalFile, openQueue, queueFolder } from '../../../../src/engine/coordinator/openQueue.ts';
import { RunnerLoop, type RunnerDeps } from '../../../../src/engine/coordinator/runner.ts';
import type { CoordinatorLink } from '../../../../src/coordinator/api.ts';
import { demandsTimeoutMs } from '../../../../src/coordinator/waiting.ts';
import { isRunOver } from '../../../../src/model/session/status.ts';
import type { Run } from '../../../../src/model/session/session.ts';
import { StillCoordinator } from '../../../support/queue/coordinator.ts';
import { CoordinatorStore } from '../../../support/queue/coordinatorStore.ts';
import { platformVariables } from '../../../support/platform.ts';
import { skip } from '../../../support/skip.ts';
import { until } from '../../../support/until.ts';

const refused = (code: CoordinatorErrorCode) => (error: unknown) => CoordinatorError.is(error, code);

describe('the queue of a store', () => {
  let store: CoordinatorStore;
  beforeEach(() => {
    store = new CoordinatorStore();
  });
  afterEach(() => store.close());

  const registration = { hostname: 'h', project_dir: '/w', executor_type: 'replay' };
  const wanted = { executor_type: 'replay', prompt: 'Do it' };

  /** A runner that does nothing but note what it was given. */
  async function runner(link: CoordinatorLink, name: string, overrides: Partial<RunnerDeps> & { limit?: number } = {}) {
    const done: string[] = [];
    const { limit = 1, ...rest } = overrides;
    const { loop, runner: registered } = await RunnerLoop.start({
      registration: { ...registration, project_dir: `/${name}`, limit },
      link,
      execute: (job, started) => {
        started();
        done.push(job.run.run_id);
        return Promise.resolve({ status: 'completed' });
      },
      stop: () => Promise.resolve(),
      log: store.deps.log,
      ...rest,
    });
    store.atEnd(() => loop.close());
    return { done, loop, runner_id: registered.runner_id };
  }

  it('queues, claims and reports runs', async () => {
    const link = await store.coordinator();
    const heard: string[] = [];
    link.onRun(({ status }) => heard.push(status));
    const run = await link.createRun(wanted);
    const { runner_id } = await link.register({ ...registration, tags: ['a'], instance: 'instance-1' });
    const runnerRef = { runner_id, instance: 'instance-1' };
    await link.heartbeat(runnerRef);
    const job = await link.claim(runnerRef);
    assert.equal(job?.run.run_id, run.run_id);
    assert.equal(await link.claim(runnerRef), null);
    await link.report(runnerRef, { run_id: run.run_id, status: 'running' });
    assert.equal((await link.stopRun(run.run_id)).status, 'stopping');
    assert.equal((await link.report(runnerRef, { run_id: run.run_id, status: 'stopped' })).status, 'stopped');
    assert.deepEqual(
      (await link.runs()).map(({ status }) => status),
      ['stopped'],
    );
    assert.deepEqual((await link.runners())[0]?.tags, ['a']);
    assert.deepEqual(heard, ['pending', 'claimed', 'running', 'stopping', 'stopped']);
    await assert.rejects(link.report(runnerRef, { run_id: run.run_id, status: 'failed' }), refused('over'));
    await assert.rejects(link.createRun({ ...wanted, type: 'resume_session' }), refused('invalid'));
    await assert.rejects(link.createRun({ ...wanted, executor_type: 'x'.repeat(300) }), refused('invalid'));
    await link.leave(runnerRef);
    await assert.rejects(link.heartbeat(runnerRef), refused('unknown_runner'));
  });

  it('belongs to one process at a time', async () => {
    const first = await store.open();
    await assert.rejects(openQueue(store.folder, store.deps), (error) => {
      assert.ok(CoordinatorError.is(error, 'unreachable'));
      assert.match(
        error.message,
        new RegExp(`Another version of Vitrine \\(process ${process.pid} on \\S+\\) is using the queue`),
      );
      return true;
    });
    await first.coordinator.createRun(wanted);
    await first.close();
    assert.equal((await (await store.coordinator()).runs()).length, 1);
  });

  it('is opened over what a process left that was killed', async () => {
    const script = `
      import { openQueue } from ${JSON.stringify(pathToFileURL('src/engine/coordinator/openQueue.ts'))};
      const none = () => undefined;
      const log = { debug: none, info: none, warn: none, error: none };
      const randomHex = (digits) => 'a'.repeat(digits);
      const deps = { clock: Date.now, monotonic: () => performance.now(), randomHex, log };
      const { coordinator } = await openQueue(process.argv[1], deps);
      const registration = { hostname: 'h', project_dir: '/w', executor_type: 'replay', instance: 'instance-1' };
      const { runner_id } = await coordinator.register(registration);
      await coordinator.createRun({ executor_type: 'replay', prompt: 'Do it' });
      await coordinator.claim({ runner_id, instance: 'instance-1' });
      console.log('claimed');
      setInterval(none, 1000);`;
    const args = ['--input-type=module', '-e', script, store.folder];
    const child = spawn(process.execPath, args, { env: platformVariables, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const link = await store.coordinator();
    const [run] = await link.runs();
    assert.deepEqual([run?.status, run?.error], ['failed', 'The Vitrine daemon ended during this run.']);
    assert.deepEqual(await link.runners(), []);
  });

  it('continues from a journal in which an earlier version wrote runners', async () => {
    const still = new StillCoordinator();
    const runnerRef = still.register(registration);
    const [claimed, waiting] = [still.create({ executor_type: 'replay' }), still.create({ executor_type: 'replay' })];
    still.core.claim(runnerRef);
    const line = {
      kind: 'runner',
      runner: {
        ...registration,
        ...runnerRef,
        tags: [],
        registered_at: claimed.created_at,
        last_heartbeat: claimed.created_at,
      },
      instance: 'instance-1',
      limit: 1,
      within: ['/w'],
    };
    const lines = [line, ...still.changes.map((job) => ({ kind: 'job', job })), line];
    await mkdir(queueFolder(store.folder), { recursive: true });
    await writeFile(journalFile(store.folder), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const link = await store.coordinator();
    assert.deepEqual(
      (await link.runs()).map(({ run_id, status }) => [run_id, status]),
      [
        [claimed.run_id, 'failed'],
        [waiting.run_id, 'pending'],
      ],
    );
    assert.deepEqual(await link.runners(), []);
    assert.deepEqual(store.log, []);
    const { done } = await runner(link, 'w');
    await until('the end of the run', async () => (await link.runs()).every(({ status }) => isRunOver(status)));
    assert.deepEqual(done, [waiting.run_id]);
    assert.doesNotMatch(await readFile(journalFile(store.folder), 'utf8'), /"kind":"runner"/);
  });

  it('is for this user alone', async function () {
    if (process.platform === 'win32') skip(this, 'modes of files are those of POSIX');
    await store.coordinator();
    const mode = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);
    assert.equal(await mode(queueFolder(store.folder)), '700');
    assert.equal(await mode(journalFile(store.folder)), '600');
  });

  it('takes no run that is too long', async () => {
    const link = await store.coordinator();
    const tooLong = [
      { prompt: 'x'.repeat(9 << 20) },
      { project_dir: 'x'.repeat(9 << 20) },
      { demands: { tags: ['x'.repeat(9 << 20)] } },
    ];
    for (const fields of tooLong) await assert.rejects(link.createRun({ ...wanted, ...fields }), refused('invalid'));
    assert.deepEqual(await link.runs(), []);
  });

  it('can be opened by the next where it cannot be read or written now', async () => {
    const journal = journalFile(store.folder);
    for (const obstacle of [journal, `${journal}.new`]) {
      await mkdir(obstacle, { recursive: true });
      await assert.rejects(openQueue(store.folder, store.deps), refused('unreachable'));
      await rmdir(obstacle);
      await (await store.open()).close();
    }
  });

  it('loses only damaged lines', async () => {
    await mkdir(queueFolder(store.folder), { recursive: true });
    await writeFile(journalFile(store.folder), '{"kind":"job"}\nnonsense\n');
    await store.coordinator();
    assert.ok(store.log.some((line) => line.includes('2 damaged lines')));
  });

  it('has 200 runs executed by 4 runners, each once and in order', async () => {
    const link = await store.coordinator();
    const created: Run[] = [];
    const over = new Set<string>();
    link.onRun(({ run_id, status }) => {
      if (isRunOver(status)) over.add(run_id);
    });
    for (let at = 0; at < 100; at += 1) created.push(await link.createRun({ ...wanted, prompt: `${at}` }));
    // Two of them have the same identity.
    const runners = await Promise.all(['a', 'b', 'c', 'c'].map((name, at) => runner(link, name, { limit: at + 1 })));
    assert.equal(new Set(runners.map(({ runner_id }) => runner_id)).size, 4);
    for (let at = 100; at < 200; at += 1) created.push(await link.createRun({ ...wanted, prompt: `${at}` }));
    await until('the runs', () => over.size === 200);

    const executed = runners.flatMap(({ done }) => done);
    assert.equal(executed.length, 200);
    assert.equal(new Set(executed).size, 200);
    const jobs = await new Journal(journalFile(store.folder), store.deps.log).read();
    const claims = jobs.map(({ run }) => run).filter(({ status }) => status === 'claimed');
    assert.deepEqual(
      claims.map(({ run_id }) => run_id),
      created.map(({ run_id }) => run_id),
    );
    for (const { runner_id, done } of runners) {
      const own = claims.filter((run) => run.runner_id === runner_id).map(({ run_id }) => run_id);
      assert.deepEqual(done, own, 'what the log says is what was executed');
      assert.ok(done.length > 0, 'every runner had some');
    }
    assert.ok((await link.runs()).every(({ status }) => status === 'completed'));
  });

  it('stops a run on its runner', async () => {
    const link = await store.coordinator();
    let stopped = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    await runner(link, 'a', {
      execute: async (_job, started) => {
        started();
        await ended;
        return { status: 'stopped' };
      },
      stop: () => {
        stopped();
        return Promise.resolve();
      },
    });
    const { run_id } = await link.createRun(wanted);
    await until('the run', async () => (await link.runs())[0]?.status === 'running');
    await link.stopRun(run_id);
    await until('its end', async () => (await link.runs())[0]?.status === 'stopped');
  });

  it('fails a run when its time is up, without a request', async () => {
    let now = 0;
    const opened = await openQueue(store.folder, { ...store.deps, monotonic: () => now });
    store.atEnd(() => opened.close());
    const link = opened.coordinator;
    const { run_id } = await link.createRun(wanted);
    const ended = new Promise<Run>((resolve) => {
      link.onRun((run) => {
        if (isRunOver(run.status)) resolve(run);
      });
    });
    for (; now <= demandsTimeoutMs; now += 5000) await link.changeRun({ run_id, move: 'first' });
    assert.match((await ended).error ?? '', /^No runner for replay took this run within 5 minutes/);
  });

  it('keeps the journal as small as the known runs', async () => {
    const first = await store.open();
    const link = first.coordinator;
    for (let at = 0; at < 20; at += 1) await link.stopRun((await link.createRun(wanted)).run_id);
    await first.close();
    const lines = async () => (await readFile(journalFile(store.folder), 'utf8')).trim().split('\n').length;
    assert.equal(await lines(), 40);
    await store.coordinator();
    assert.equal(await lines(), 20);
  });
});
