import assert from 'node:assert/strict';
import { chmod, chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { DaemonError } from '../../../../src/client/errors.ts';
import { thisMachine } from '../../../../src/engine/process/identity/holder.ts';
import { isAlive } from '../../../../src/engine/process/identity/identity.ts';
import { publishEndpoint, readEndpoint } from '../../../../src/transport/endpoint.ts';
import { DaemonBench } from '../../../support/daemon/bench.ts';
import { fakeAgent, prompt } from '../../../support/fakeAgent/engine.ts';
import { skip } from '../../../support/skip.ts';
import { until } from '../../../support/until.ts';

/** What a background run prints where its daemon cannot be started. */
const notStarted = /could not be started|cannot be created|does not respond/;

describe('starting a daemon', function () {
  let place: DaemonBench;
  const servers: Server[] = [];
  beforeEach(() => (place = new DaemonBench()));
  afterEach(async () => {
    for (const server of servers.splice(0)) server.close();
    await place.close();
  });

  const detached = () =>
    place.vitrine(
      ...['run', '--detach', '--json', '--agent', 'claude-code', '--program', fakeAgent],
      prompt([{ init: true }, { result: {} }]),
    );

  const rejection = async (): Promise<DaemonError> => {
    const error: unknown = await place.connect({ withinMs: 4000 }).catch((reason: unknown) => reason);
    assert.ok(DaemonError.is(error), String(error));
    return error;
  };

  async function listenInFolder(receive: (socket: Socket) => void): Promise<void> {
    await mkdir(place.folder, { recursive: true, mode: 0o700 });
    const address = path.join(place.bench.dir, 'foreign');
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      receive(socket);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(address, resolve));
    await publishEndpoint(place.folder, { address, token: 'a'.repeat(64), pid: process.pid });
  }

  it('by two commands at once gives one daemon with both runs', async () => {
    const both = await Promise.all([detached().ended, detached().ended]);
    for (const { code, stderr } of both) assert.equal(code, 0, stderr);
    const leases = (await readdir(place.folder)).filter((name) => /^writer\.\d+\.json$/.test(name));
    assert.equal(leases.length, 1, leases.join(', '));
    const listed = await place.vitrine('sessions', '--json').ended;
    assert.equal(listed.stdout.trimEnd().split('\n').length, 2);
  });

  it('keeps the compiled code of this build, and drops that of others', async () => {
    const compiled = path.join(place.folder, 'compiled');
    await mkdir(path.join(compiled, '0.0.1'), { recursive: true, mode: 0o700 });
    const connection = await place.connect();
    const { daemon } = connection;
    await connection.call('retire', { when: 'idle' });
    await until('it to exit', async () => !(await isAlive({ pid: daemon.pid, startTime: null })));
    assert.deepEqual(await readdir(compiled), [daemon.version]);
    const files = await readdir(path.join(compiled, daemon.version), { recursive: true });
    assert.ok(files.length > 10, files.join(', '));
    assert.equal((await place.connect()).daemon.version, daemon.version);
  });

  it('does not mistake a reused pid for a daemon', async () => {
    await mkdir(place.folder, { recursive: true, mode: 0o700 });
    const holder = { pid: process.pid, startTime: '1', ...(await thisMachine()), at: new Date().toISOString() };
    await writeFile(path.join(place.folder, 'writer.7.json'), JSON.stringify(holder));
    await publishEndpoint(place.folder, {
      address: path.join(place.folder, `socket-${process.pid}`),
      token: 'a'.repeat(64),
      pid: process.pid,
    });
    assert.equal((await (await place.connect()).call('status', {})).runs, 0);
  });

  it('replaces an address where another program listens', async () => {
    let connections = 0;
    await listenInFolder((socket) => {
      connections += 1;
      socket.end(`${JSON.stringify({ nonce: '0'.repeat(32) })}\n${JSON.stringify({ proof: '00' })}\n`);
    });
    const connection = await place.connect();
    assert.equal(connections, 1);
    assert.notEqual(connection.daemon.pid, process.pid);
    assert.notEqual((await readEndpoint(place.folder))?.pid, process.pid);
  });

  it('replaces an address where a program listens that never answers', async () => {
    await listenInFolder(() => undefined);
    assert.notEqual((await place.connect({ withinMs: 8000 })).daemon.pid, process.pid);
  });

  /** A program that becomes the daemon once `go` exists. */
  async function slowDaemon(go: string): Promise<string> {
    const file = path.join(place.bench.dir, 'slow.mjs');
    const daemon = pathToFileURL(path.resolve('dist/daemon.js')).href;
    const wait = `while (!existsSync(${JSON.stringify(go)})) await setTimeout(20);`;
    await writeFile(
      file,
      `import { existsSync } from 'node:fs';\nimport { setTimeout } from 'node:timers/promises';\n${wait}\nawait import(${JSON.stringify(daemon)});\n`,
    );
    return file;
  }

  it('waits for a daemon that starts slowly, and reports it', async () => {
    const go = path.join(place.bench.dir, 'go');
    let ended = false;
    const { daemon } = await place.connect({
      daemonFile: await slowDaemon(go),
      withinMs: 2500,
      startWithinMs: 60_000,
      onSlowStart: (end) => {
        void end.then(() => (ended = true));
        void writeFile(go, '');
      },
    });
    assert.notEqual(daemon.pid, process.pid);
    assert.equal(ended, true);
  });

  it('gives up if the daemon never ends to start', async () => {
    const go = path.join(place.bench.dir, 'go');
    const daemonFile = await slowDaemon(go);
    const error: unknown = await place.connect({ daemonFile, startWithinMs: 500 }).catch((reason: unknown) => reason);
    assert.ok(DaemonError.is(error, 'unreachable'), String(error));
    assert.match(error.message, /took too long/);
    // The program that was started becomes the daemon, and is stopped like one.
    await writeFile(go, '');
    assert.equal((await place.connect()).daemon.runs, 0);
  });

  it('starts another daemon if the first one is killed, at most twice', async () => {
    const file = path.join(place.bench.dir, 'killed.mjs');
    const starts = path.join(place.bench.dir, 'starts');
    const daemon = JSON.stringify(pathToFileURL(path.resolve('dist/daemon.js')).href);
    const killed = async (times: number): Promise<string> => {
      await writeFile(starts, '');
      await writeFile(
        file,
        `import { appendFileSync, statSync } from 'node:fs';
        appendFileSync(${JSON.stringify(starts)}, 'x');
        if (statSync(${JSON.stringify(starts)}).size <= ${times}) process.kill(process.pid, 'SIGKILL');
        await import(${daemon});`,
      );
      return file;
    };
    const error: unknown = await place.connect({ daemonFile: await killed(9) }).catch((reason: unknown) => reason);
    assert.ok(DaemonError.is(error, 'unreachable'), String(error));
    assert.match(error.message, /SIGKILL/);
    assert.equal((await readFile(starts, 'utf8')).length, 3);
    assert.equal((await place.connect({ daemonFile: await killed(2) })).daemon.runs, 0);
    assert.equal((await readFile(starts, 'utf8')).length, 3);
  });

  it('gives up if the daemon does not answer', async () => {
    const { daemon } = await place.connect();
    process.kill(daemon.pid, 'SIGSTOP');
    try {
      const { code, message } = await rejection();
      assert.equal(code, 'unreachable');
      assert.match(message, /does not respond/);
    } finally {
      process.kill(daemon.pid, 'SIGCONT');
    }
  });

  it('replaces invalid endpoint files', async () => {
    await mkdir(place.folder, { recursive: true });
    await chmod(place.folder, 0o777);
    await writeFile(path.join(place.folder, 'endpoint.json'), '{"address": 1}', { mode: 0o666 });
    await writeFile(path.join(place.folder, 'daemon.log'), 'earlier\n');
    assert.equal((await (await place.connect()).call('status', {})).runs, 0);
  });

  for (const name of ['endpoint.json', 'daemon.log']) {
    it(`reports a folder in the way, called ${name}`, async () => {
      await mkdir(path.join(place.folder, name, 'inside'), { recursive: true });
      if (name === 'daemon.log') {
        // Without a log the daemon works all the same.
        assert.equal((await (await place.connect()).call('status', {})).runs, 0);
        return;
      }
      const { message } = await rejection();
      assert.match(message, /could not be started.*endpoint\.json/);
    });
  }

  it('reports a folder of another user', async function () {
    if (process.getuid?.() !== 0) skip(this, 'only root can make a folder of another user');
    await mkdir(place.folder, { recursive: true });
    await chown(place.folder, 65_534, 65_534);
    assert.match((await rejection()).message, /You do not own the folder/);
  });

  it('reports a read-only store', async function () {
    if (process.platform !== 'linux') skip(this, 'gives up rights of root with setpriv');
    await mkdir(place.store, { recursive: true });
    await chmod(place.store, 0o555);
    const { code, stderr } = await place.vitrineByModes(
      ...['run', '--detach', '--agent', 'claude-code', '--program', fakeAgent],
      prompt([{ init: true }, { result: {} }]),
    ).ended;
    assert.equal(code, 2);
    assert.match(stderr, notStarted);
    assert.match(stderr, /EACCES|permission denied/);
  });

  it('reports a full disk', async function () {
    if (process.platform !== 'linux') skip(this, 'limits the size of files with prlimit');
    const { code, stderr } = await place.vitrineLimited(
      0,
      ...['run', '--detach', '--agent', 'claude-code', '--program', fakeAgent],
      prompt([{ init: true }, { result: {} }]),
    ).ended;
    assert.equal(code, 2);
    assert.match(stderr, notStarted);
    assert.match(stderr, /EFBIG|ENOSPC/);
  });
});
