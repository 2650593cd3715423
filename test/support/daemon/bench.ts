import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, connectRunning, type ConnectOptions } from '../../../src/client/connect.ts';
import type { DaemonConnection } from '../../../src/client/connection.ts';
import { DaemonError } from '../../../src/client/errors.ts';
import { DaemonLink } from '../../../src/client/reconnectingLink.ts';
import { isAlive } from '../../../src/engine/process/identity/identity.ts';
import { daemonFolder } from '../../../src/transport/daemonFolder.ts';
import type { ClientDescription, GivenParams } from '../../../src/protocol/daemon/calls.ts';
import type { SessionSnapshot } from '../../../src/protocol/daemon/session.ts';
import { daemonProtocol } from '../../../src/protocol/daemon/version.ts';
import { Bench, fakeAgent, prompt, type Step } from '../fakeAgent/engine.ts';
import { silentLog } from '../silentLog.ts';
import { until } from '../until.ts';
import { stopDaemon } from './stop.ts';

interface CommandOutput {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Command {
  readonly process: ChildProcess;
  readonly ended: Promise<CommandOutput>;
}

/** A store with a daemon process, and the fake agent as Claude Code. */
export class DaemonBench {
  readonly bench = new Bench();
  readonly store: string;
  readonly environment: Record<string, string>;
  readonly #connections: DaemonConnection[] = [];
  readonly #links: DaemonLink<DaemonError>[] = [];

  constructor(storeName = 'store') {
    mkdirSync(this.bench.cwd, { recursive: true });
    this.store = path.join(this.bench.dir, storeName);
    this.environment = { PATH: process.env['PATH'] ?? '', HOME: this.bench.dir };
  }

  get folder(): string {
    return daemonFolder(this.store, daemonProtocol);
  }

  /** Waits longer than a real client, because the machine may be busy with other tests. */
  async connect(change: Partial<ConnectOptions> = {}): Promise<DaemonConnection> {
    const { store: storeDir, environment } = this;
    const client = { kind: 'api', person: false } as const;
    const daemonFile = path.resolve('dist/daemon.js');
    const options = { storeDir, environment, daemonFile, build: 'test', client, withinMs: 30_000 };
    const connection = await connect({ ...options, ...change });
    this.#connections.push(connection);
    return connection;
  }

  /** The link of a window, which reconnects. */
  windowLink({
    id,
    build = 'test',
    prepare = () => Promise.resolve(),
  }: { id?: string; build?: string; prepare?: () => Promise<void> } = {}): DaemonLink<DaemonError> {
    const { store: storeDir, environment } = this;
    const client: ClientDescription = { kind: 'window', person: true, ...(id !== undefined && { id }) };
    const daemonFile = path.resolve('dist/daemon.js');
    const link = new DaemonLink({
      connect: () => connect({ storeDir, environment, daemonFile, build, client, withinMs: 30_000 }),
      prepare,
      failure: ({ code, message }) => new DaemonError(code, message),
      log: silentLog,
    });
    this.#links.push(link);
    return link;
  }

  async connectRunning(): Promise<DaemonConnection | null> {
    const client = { kind: 'api', person: false } as const;
    const connection = await connectRunning({ storeDir: this.store, build: 'test', client });
    if (connection !== null) this.#connections.push(connection);
    return connection;
  }

  startParams(steps: readonly Step[], change: Partial<GivenParams<'start'>['context']> = {}): GivenParams<'start'> {
    const { cwd } = this.bench;
    const settings = { agents: { 'claude-code': { program: fakeAgent } } };
    const context = { folder: cwd, trusted: true, environment: this.environment, settings, ...change };
    return { context, request: { agent: 'claude-code', cwd, prompt: prompt(steps) } };
  }

  /** Runs the command line. */
  vitrine(...args: string[]): Command {
    return this.#spawn([process.execPath], args);
  }

  /** As `vitrine`; if this is root, without the privilege to ignore file modes. */
  vitrineByModes(...args: string[]): Command {
    const setpriv = ['setpriv', '--bounding-set=-dac_override,-dac_read_search'];
    return this.#spawn([...(process.getuid?.() === 0 ? setpriv : []), process.execPath], args);
  }

  /** As `vitrine`, with a limit on the size of files that it or its daemon writes. */
  vitrineLimited(bytes: number, ...args: string[]): Command {
    return this.#spawn(['prlimit', `--fsize=${bytes}:unlimited`, process.execPath], args);
  }

  #spawn([program = '', ...before]: readonly string[], args: readonly string[]): Command {
    const child = spawn(program, [...before, path.resolve('dist/cli.js'), ...args, '--store', this.store], {
      cwd: this.bench.cwd,
      env: this.environment,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
    const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]);
    return { process: child, ended: ended.then(([code, stdout, stderr]) => ({ code, stdout, stderr })) };
  }

  /** Resolves when the state of a session passes the test. */
  async stateOf(session_id: string, test: (state: SessionSnapshot) => boolean): Promise<SessionSnapshot> {
    const connection = await this.connect();
    return new Promise((resolve, reject) => {
      const look = (state: SessionSnapshot): void => {
        if (test(state)) resolve(state);
      };
      connection
        .follow(session_id, (update) => {
          look(update.state);
          return Promise.resolve();
        })
        .then(({ state }) => look(state), reject);
    });
  }

  log(): string {
    return readFileSync(path.join(this.folder, 'daemon.log'), 'utf8');
  }

  async close(): Promise<void> {
    for (const link of this.#links) link.close();
    const others = this.#connections.filter(({ daemon }) => daemon.protocol !== daemonProtocol);
    // Otherwise they would stay for a minute, or until their runs end.
    await Promise.all(others.map((other) => other.call('retire', { when: 'now' }).catch(() => undefined)));
    for (const connection of this.#connections) connection.close();
    await stopDaemon(this.store);
    // A daemon that was told to exit may still write into its folder.
    for (const { daemon } of this.#connections)
      await until('a daemon to exit', async () => !(await isAlive({ pid: daemon.pid, startTime: null })));
    await this.bench.close();
  }
}
