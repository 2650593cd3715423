import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CoordinatorLink } from '../../../../src/coordinator/api.ts';
import { CoordinatorError, type CoordinatorErrorCode } from '../../../../src/coordinator/errors.ts';
import { CoordinatorClient } from '../../../../src/engine/coordinator/client.ts';
import { joinCoordinator, type JoinedCoordinator } from '../../../../src/engine/coordinator/join.ts';
import { Journal } from '../../../../src/engine/coordinator/journal.ts';
import type { LocalDeps } from '../../../../src/engine/coordinator/local.ts';
import { coordinatorPlace } from '../../../../src/engine/coordinator/place.ts';
import { RunnerLoop, type RunnerDeps } from '../../../../src/engine/coordinator/runner.ts';
import { isRunOver } from '../../../../src/model/session/status.ts';
import type { Run } from '../../../../src/model/session/session.ts';
import { CoordinatorStore } from '../../../support/coordinatorStore.ts';
import { isWindows } from '../../../support/platform.ts';
import { until } from '../../../support/until.ts';
import { skip } from '../../../support/skip.ts';

const refused = (code: CoordinatorErrorCode) => (error: unknown) => CoordinatorError.is(error, code);

describe('the coordinator of a store', () => {
  let shared: CoordinatorStore;
  let store: string;
  let log: string[];
  let deps: LocalDeps;
  beforeEach(() => {
    shared = new CoordinatorStore();
    ({ folder: store, log, deps } = shared);
  });
  afterEach(() => shared.close());

  const join = (host = true): Promise<JoinedCoordinator> => joinIn(store, host);
  async function joinIn(folder: string, host = true): Promise<JoinedCoordinator> {
    const joined = await joinCoordinator(folder, deps, { host });
    shared.atEnd(() => joined.close());
    return joined;
  }
  const registration = { hostname: 'h', project_dir: '/w', executor_type: 'replay' };
  const wanted = { executor_type: 'replay', prompt: 'Do it' };

  /** A runner that does nothing but note what it was given. */
  async function runner(name: string, more: Partial<RunnerDeps> & { limit?: number } = {}) {
    const done: string[] = [];
    const { limit = 1, ...rest } = more;
    const loop = new RunnerLoop({
      registration: { ...registration, project_dir: `/${name}`, limit },
      join: () => joinCoordinator(store, deps, { host: true }),
      execute: (job, started) => {
        started();
        done.push(job.run.run_id);
        return Promise.resolve({ status: 'completed' });
      },
      stop: () => Promise.resolve(),
      log: deps.log,
      ...rest,
    });
    const { runner_id } = await loop.start();
    shared.atEnd(() => loop.close());
    return { done, loop, runner_id };
  }

  for (const where of ['in this process', 'behind its socket'] as const) {
    it(`does ${where} what is asked of it`, async () => {
      const host = await join();
      assert.equal(host.hosting, true);
      const link: CoordinatorLink = where === 'in this process' ? host.link : (await join()).link;
      const heard: string[] = [];
      link.onRun(({ status }) => heard.push(status));
      const run = await link.createRun(wanted);
      const { runner_id } = await link.register({ ...registration, tags: ['a'], instance: 'instance-1' });
      const seat = { runner_id, instance: 'instance-1' };
      await link.heartbeat(seat);
      const job = await link.claim(seat);
      assert.equal(job?.run.run_id, run.run_id);
      assert.equal(await link.claim(seat), null);
      await link.report(seat, { run_id: run.run_id, status: 'running' });
      assert.equal((await link.stopRun(run.run_id)).status, 'stopping');
      assert.equal((await link.report(seat, { run_id: run.run_id, status: 'stopped' })).status, 'stopped');
      assert.deepEqual(
        (await link.runs()).map(({ status }) => status),
        ['stopped'],
      );
      assert.deepEqual((await link.runners())[0]?.tags, ['a']);
      await until('all news', () => heard.length === 5);
      assert.deepEqual(heard, ['pending', 'claimed', 'running', 'stopping', 'stopped']);
      await assert.rejects(link.register({ ...registration, instance: 'instance-2' }), refused('conflict'));
      await assert.rejects(link.report(seat, { run_id: run.run_id, status: 'failed' }), refused('over'));
      await assert.rejects(link.createRun({ ...wanted, type: 'resume_session' }), refused('invalid'));
      await link.leave(seat);
      await assert.rejects(link.heartbeat(seat), refused('unknown_runner'));
    });
  }

  it('is one, however many come at once', async () => {
    const joined = await Promise.all(Array.from({ length: 6 }, () => join()));
    assert.equal(joined.filter(({ hosting }) => hosting).length, 1);
    await joined[0]!.link.createRun(wanted);
    for (const { link } of joined) assert.equal((await link.runs()).length, 1);
  });

  it('is for this user alone', async function () {
    if (process.platform === 'win32') skip(this, 'modes of files are those of POSIX');
    await join();
    const place = await coordinatorPlace(store);
    const mode = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);
    assert.equal(await mode(place.address), '600');
    assert.equal(await mode(place.folder), '700');
    assert.equal(await mode(path.join(place.folder, 'token')), '600');
    assert.equal(await mode(place.journal), '600');
  });

  it('listens elsewhere where the path of the store is too long for a socket', async function () {
    if (process.platform === 'win32') skip(this, 'pipes have no such limit');
    const deep = path.join(store, 'x'.repeat(120));
    await mkdir(deep);
    const host = await joinIn(deep);
    const other = await joinIn(deep);
    assert.deepEqual([host.hosting, other.hosting], [true, false]);
    const { address } = await coordinatorPlace(deep);
    assert.ok(address.startsWith(tmpdir()));
    // For one that has another folder for what is temporary, too.
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = store;
    const found = await coordinatorPlace(deep).finally(() => {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    });
    assert.equal(found.address, address);
  });

  it('does nothing for one that does not know its token', async () => {
    await join();
    const place = await coordinatorPlace(store);
    const forged = CoordinatorClient.connect({ ...place, token: 'f'.repeat(64) }, deps.log);
    await assert.rejects(forged, refused('forbidden'));
    assert.ok(log.some((line) => line.includes('without its token')));
    for (const sent of ['{"id":1,"call":"createRun","params":[]}\n', 'nonsense\n', `${'x'.repeat(9 << 20)}\n`]) {
      const socket = createConnection({ path: place.address });
      socket.on('error', () => undefined);
      socket.resume();
      socket.write(sent);
      await once(socket, 'close');
    }
    assert.equal((await (await join()).link.runs()).length, 0);
  });

  it('lets no one who does not know its token lock out those who do', async () => {
    await join();
    const before = await join();
    const place = await coordinatorPlace(store);
    const strangers = Array.from({ length: 300 }, (_, at) => {
      const socket = createConnection({ path: place.address, allowHalfOpen: true });
      socket.on('error', () => undefined);
      socket.resume();
      // Some say nothing, some the wrong thing and stay.
      if (at % 2 === 0) socket.write(`${JSON.stringify({ proof: 'f'.repeat(64), nonce: 'f'.repeat(32) })}\n`);
      return socket;
    });
    try {
      const after = await join();
      assert.equal(after.hosting, false);
      await after.link.createRun(wanted);
      assert.equal((await before.link.runs()).length, 1);
      await until(
        'most of them are refused',
        () => strangers.filter((socket) => !socket.closed && !socket.readableEnded).length <= 64,
      );
    } finally {
      for (const socket of strangers) socket.destroy();
    }
  });

  it('listens in no folder that someone else can have made', async function () {
    if (process.platform === 'win32') skip(this, 'pipes have no such limit');
    const deep = path.join(store, 'y'.repeat(120));
    await mkdir(deep);
    const first = await coordinatorPlace(deep);
    const folder = path.dirname(first.address);
    assert.equal(((await stat(folder)).mode & 0o777).toString(8), '700');
    assert.equal(((await stat(path.join(first.folder, 'address'))).mode & 0o777).toString(8), '600');
    // Cleaned away, and claimed again by others: open to all, or a link to what is ours.
    const spoil: readonly (() => Promise<unknown>)[] = [
      async () => chmod(path.dirname((await coordinatorPlace(deep)).address), 0o755),
      async () => {
        const claimed = path.dirname((await coordinatorPlace(deep)).address);
        await rmdir(claimed);
        await symlink(store, claimed);
      },
    ];
    const seen = new Set([first.address]);
    for (const each of spoil) {
      const old = (await coordinatorPlace(deep)).address;
      await each();
      const next = await coordinatorPlace(deep);
      assert.notEqual(next.address, old);
      seen.add(next.address);
    }
    assert.equal(seen.size, 3);
    const both = await Promise.all([coordinatorPlace(deep), coordinatorPlace(deep)]);
    assert.equal(both[0].address, both[1].address);
    for (const address of seen) await rm(path.dirname(address), { recursive: true, force: true });
  });

  it('refuses what is no call, and resumes the others', async () => {
    const host = await join();
    const client = await join();
    await assert.rejects(client.link.createRun({ ...wanted, executor_type: 'x'.repeat(300) }), refused('invalid'));
    await assert.rejects(client.link.stopRun('../../etc'), refused('invalid'));
    assert.equal((await host.link.createRun(wanted)).status, 'pending');
  });

  it('lists more than fits into one line', async () => {
    const host = await join();
    const { link } = await join();
    // What JSON writes longest: six bytes for each.
    const prompt = '\u0001'.repeat(1 << 20);
    for (let at = 0; at < 4; at += 1) await host.link.createRun({ ...wanted, prompt });
    for (let at = 0; at < 2000; at += 1) await host.link.createRun({ ...wanted, prompt: `${at}`.padStart(3000) });
    const [there, here] = [await link.runs(), await host.link.runs()];
    assert.deepEqual(there, here);
    assert.deepEqual(await link.runs({ session_id: here[7]!.session_id }), [here[7]]);
  });

  it('is not sent what it would refuse, or what would end the connection', async () => {
    await join();
    const { link } = await join();
    const tooLong = [
      { prompt: 'x'.repeat(9 << 20) },
      { project_dir: 'x'.repeat(9 << 20) },
      { demands: { tags: ['x'.repeat(9 << 20)] } },
    ];
    for (const each of tooLong) await assert.rejects(link.createRun({ ...wanted, ...each }), refused('invalid'));
    assert.deepEqual(await link.runs(), []);
  });

  it('leaves its place to the next one where it cannot begin', async () => {
    const { journal } = await coordinatorPlace(store);
    for (const obstacle of [journal, `${journal}.new`]) {
      await mkdir(obstacle);
      await assert.rejects(join(), refused('unreachable'));
      await rmdir(obstacle);
      const next = await join();
      assert.equal(next.hosting, true);
      await next.close();
    }
  });

  it('is not what someone else listens with', async () => {
    const place = await coordinatorPlace(store);
    for (const answer of ['hello\n', '{"nonce":"00000000000000000000000000000000"}\n{"proof":"no"}\n']) {
      const impostor = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.resume();
        socket.write(answer);
      });
      impostor.listen({ path: place.address });
      await once(impostor, 'listening');
      const failed = joinCoordinator(store, deps, { host: true });
      await assert.rejects(failed, refused('forbidden'));
      await new Promise((resolve) => impostor.close(resolve));
    }
  });

  it('begins over what a dead one left', async () => {
    const place = await coordinatorPlace(store);
    // A pipe is gone with its process.
    if (!isWindows) await writeFile(place.address, 'left behind');
    await writeFile(place.journal, '{"kind":"job"}\nnonsense\n');
    assert.equal((await join()).hosting, true);
    assert.ok(log.some((line) => line.includes('2 damaged lines')));
  });

  it('is not begun by one that only wants to ask', async () => {
    await assert.rejects(join(false), refused('unreachable'));
  });

  it('has 200 runs executed by 4 runners, each once and in order', async () => {
    const host = await join();
    const created: Run[] = [];
    const over = new Set<string>();
    host.link.onRun(({ run_id, status }) => {
      if (isRunOver(status)) over.add(run_id);
    });
    for (let at = 0; at < 100; at += 1) created.push(await host.link.createRun({ ...wanted, prompt: `${at}` }));
    const runners = await Promise.all(['a', 'b', 'c', 'd'].map((name, at) => runner(name, { limit: at + 1 })));
    const client = await join();
    for (let at = 100; at < 200; at += 1) created.push(await client.link.createRun({ ...wanted, prompt: `${at}` }));
    await until('the runs', () => over.size === 200);

    const executed = runners.flatMap(({ done }) => done);
    assert.equal(executed.length, 200);
    assert.equal(new Set(executed).size, 200);
    const { journal } = await coordinatorPlace(store);
    const claims = (await new Journal(journal, deps.log).read()).flatMap((change) =>
      change.kind === 'job' && change.job.run.status === 'claimed' ? [change.job.run] : [],
    );
    assert.deepEqual(
      claims.map(({ run_id }) => run_id),
      created.map(({ run_id }) => run_id),
    );
    for (const { runner_id, done } of runners) {
      const own = claims.filter((run) => run.runner_id === runner_id).map(({ run_id }) => run_id);
      assert.deepEqual(done, own, 'what the log says is what was executed');
      assert.ok(done.length > 0, 'every runner had some');
    }
    assert.ok((await host.link.runs()).every(({ status }) => status === 'completed'));
  });

  it('may end: its runners continue, and tell the next one', async () => {
    const host = await joinCoordinator(store, deps, { host: true });
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { runner_id } = await runner('a', {
      execute: async (_job, started) => {
        started();
        await finished;
        return { status: 'completed' };
      },
    });
    const run = await host.link.createRun(wanted);
    await until('the run', async () => (await host.link.runs())[0]?.status === 'running');
    await host.close();
    finish();
    const next = await join();
    await until('its end', async () => (await next.link.runs())[0]?.status === 'completed');
    const [known] = await next.link.runs();
    assert.deepEqual([known?.run_id, known?.runner_id], [run.run_id, runner_id]);
    assert.equal((await next.link.runners())[0]?.status, 'online');
  });

  it('stops a run where it is', async () => {
    const host = await join();
    let stopped = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    await runner('a', {
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
    const { run_id } = await host.link.createRun(wanted);
    await until('the run', async () => (await host.link.runs())[0]?.status === 'running');
    await host.link.stopRun(run_id);
    await until('its end', async () => (await host.link.runs())[0]?.status === 'stopped');
  });

  it('has no second runner with an identity', async () => {
    await join();
    await runner('a');
    await assert.rejects(runner('a'), refused('conflict'));
  });

  it('keeps the journal as small as what is still known', async () => {
    const host = await joinCoordinator(store, deps, { host: true });
    for (let at = 0; at < 20; at += 1) await host.link.stopRun((await host.link.createRun(wanted)).run_id);
    await host.close();
    const { journal } = await coordinatorPlace(store);
    const lines = async () => (await readFile(journal, 'utf8')).trim().split('\n').length;
    assert.equal(await lines(), 40);
    await join();
    assert.equal(await lines(), 20);
  });
});
