import { spawn } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import * as z from 'zod';
import { daemonProtocol } from '../protocol/daemon/version.ts';
import { daemonFolder, daemonProtocols, ownDaemonFolder } from '../transport/daemonFolder.ts';
import { preparePrivateFolder, readEndpoint } from '../transport/endpoint.ts';
import { type ClientOptions, DaemonConnection } from './connection.ts';
import { DaemonError } from './errors.ts';
import { isNewer } from './versions.ts';

/** Default time limit for a connection, in ms; longer on a busy machine. The time in which a daemon starts does not count. */
const connectMs = 4500;
/** Default time limit for the start of a daemon, in ms: a very busy machine takes a while to load it. */
const startMs = 30_000;
/** A start that takes longer is reported, in ms. */
const slowMs = 3000;
const retryMs = 50;
/** Time in which a daemon exits after it has closed its output, in ms. */
const exitMs = 1000;
/** Maximum number of attempts to start a daemon that a signal ended. */
const maxKilled = 2;

const reportSchema = z.union([z.object({ ready: z.literal(true) }), z.object({ error: z.string() })]);

/**
 * For V8: a small young generation, which a waiting process does not fill; and no memory reducer, which wakes each waiting
 * thread every eight seconds. The daemon collects its garbage itself after its work (`IdleGarbage`).
 */
const heapFlags = ['--max-semi-space-size=4', '--no-memory-reducer', '--expose-gc'];

/**
 * For the C library of Linux, which otherwise keeps the memory of freed buffers: a heap per thread, and ever larger blocks
 * that are not given back.
 */
const allocatorVariables = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** Environment variables for the daemon itself. Agents get those of the client that starts them. */
const daemonVariables = [
  /^(?:HOME|USER|LOGNAME|LANG|TMPDIR|TEMP|TMP|PATH|SSH_AUTH_SOCK)$/i,
  /^(?:LC_|XDG_).*$/,
  /^(?:SYSTEMROOT|WINDIR|USERPROFILE|APPDATA|LOCALAPPDATA|COMSPEC|PATHEXT|PROGRAMDATA)$/i,
  // The login of the team's database.
  /^(?:PGPASSWORD|PGPASSFILE|VITRINE_TEAM_URL)$/,
  // Lets Node start on an unknown Windows, such as Wine.
  /^NODE_SKIP_PLATFORM_CHECK$/,
];

export interface ConnectOptions extends ClientOptions {
  readonly storeDir: string;
  /** Absolute path of `daemon.js`. */
  readonly daemonFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Gives up, without an error, if a daemon takes longer than this to start, in ms. */
  readonly startWithinMs?: number;
  /** Called if the start takes long; `end` settles when the start has ended. */
  readonly onSlowStart?: ((end: Promise<unknown>) => void) | undefined;
}

/** The running daemon of the store; `null` if there is none. @throws DaemonError `refused` if something else listens there */
export async function connectRunning(
  options: Omit<ConnectOptions, 'daemonFile' | 'environment'>,
): Promise<DaemonConnection | null> {
  const { storeDir, protocol = daemonProtocol } = options;
  for (const folder of [ownDaemonFolder(storeDir, protocol), daemonFolder(storeDir, protocol)]) {
    const endpoint = await readEndpoint(folder);
    if (endpoint === null) continue;
    try {
      return await DaemonConnection.open(endpoint, options);
    } catch (error) {
      // It ended without removing its endpoint, is ending now, or runs on another machine.
      if (!DaemonError.is(error, 'unreachable')) throw error;
    }
  }
  return null;
}

/** Running daemons of other protocol versions, for the calls in `coreCalls`. Older ones finish their runs. */
export async function connectOthers(
  options: Omit<ConnectOptions, 'daemonFile' | 'environment'>,
): Promise<DaemonConnection[]> {
  const found = await Promise.all(
    (await daemonProtocols(options.storeDir))
      .filter((protocol) => protocol !== (options.protocol ?? daemonProtocol))
      .map((protocol) => connectRunning({ ...options, protocol }).catch(() => null)),
  );
  return found.filter((connection) => connection !== null);
}

/** The daemon of the store, started if necessary. @throws DaemonError `unreachable` if it does not start */
export async function connect(options: ConnectOptions): Promise<DaemonConnection> {
  const began = performance.now();
  let starting = 0;
  const startDeadline = began + (options.startWithinMs ?? startMs);
  const left = (until?: number): number =>
    Math.max(1, (until ?? began + starting + (options.withinMs ?? connectMs * loadFactor())) - performance.now());
  let killCount = 0;
  for (let isFirst = true; ; isFirst = false) {
    if (!isFirst) {
      const startedAt = performance.now();
      for (let signal = await startDaemon(options, left(startDeadline)); signal !== null;) {
        killCount += 1;
        if (killCount > maxKilled) throw notStarted(`${signal} ended it.`);
        signal = await startDaemon(options, left(startDeadline));
      }
      starting += performance.now() - startedAt;
    }
    try {
      const connection = await connectRunning({ ...options, withinMs: isFirst ? left() / 2 : left() });
      if (connection !== null) {
        const { version, runs } = connection.daemon;
        if (!isFirst || runs > 0 || !isNewer(options.build, version)) return connection;
        // An idle daemon of an older build with the same protocol is replaced.
        await connection.call('retire', { when: 'idle' });
        await Promise.race([connection.closed, delay(left(), undefined, { ref: false })]);
        connection.close();
      }
    } catch (error) {
      // Another program now listens at the address of a crashed daemon, or the old daemon was lost: the next one uses another.
      const isOfOldDaemon = DaemonError.is(error, 'refused') || DaemonError.is(error, 'unreachable');
      if (!isOfOldDaemon || left() === 1) throw error;
    }
    // Very many clients connected at once, or the daemon is stopping.
    if (left() === 1)
      throw new DaemonError('unreachable', 'The Vitrine daemon does not respond.', 'See "vitrine daemon logs".');
    if (!isFirst) await delay(retryMs);
  }
}

/**
 * Factor for a time limit: the number of processes per core that want to run, 6 at most. If very many clients start at once, the
 * daemon gets little of the processor. Windows reports no load.
 */
export function loadFactor([load = 0] = loadavg(), cores = availableParallelism()): number {
  return Math.min(6, Math.max(1, load / cores));
}

/**
 * Starts a daemon that outlives this process. Resolves when a daemon of the store listens, or with the signal that ended it
 * before. Waits as long as it starts without an error, `withinMs` at most. @throws DaemonError
 */
async function startDaemon(options: ConnectOptions, withinMs: number): Promise<NodeJS.Signals | null> {
  const { storeDir, daemonFile, environment, onSlowStart } = options;
  const folder = daemonFolder(storeDir, daemonProtocol);
  await preparePrivateFolder(folder).catch((error: unknown) => {
    throw notStarted(error instanceof Error ? error.message : String(error));
  });
  const variables = Object.entries(environment).filter(([name]) =>
    daemonVariables.some((variable) => variable.test(name)),
  );
  const child = spawn(process.execPath, [...heapFlags, daemonFile, '--store', storeDir], {
    // Not the client's folder, which would stay in use.
    cwd: path.parse(storeDir).root,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    env: { ...Object.fromEntries(variables), ...allocatorVariables, ELECTRON_RUN_AS_NODE: '1' },
  });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(notStarted(error.message)));
  });
  // If there is no pipe, this promise is never awaited.
  failed.catch(() => undefined);
  const whenSignalled = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (_, signal) => resolve(signal));
  });
  const [, , , pipe] = child.stdio;
  if (!(pipe instanceof Readable)) throw notStarted('It has no output pipe.');
  const timer = setTimeout(() => pipe.destroy(), withinMs);
  const ended = Promise.race([text(pipe).catch(() => ''), failed]);
  const slow = setTimeout(() => onSlowStart?.(ended), slowMs);
  try {
    const printed = await ended;
    const report = reportSchema.safeParse(parse(printed));
    if (!report.success) {
      if (pipe.destroyed && !pipe.readableEnded) throw notStarted('It took too long.');
      const signal = await Promise.race([whenSignalled, delay(exitMs, null, { ref: false })]);
      if (signal === null) throw notStarted('It exited without giving a reason.');
      return signal;
    }
    if ('error' in report.data) throw notStarted(report.data.error);
    return null;
  } finally {
    clearTimeout(timer);
    clearTimeout(slow);
    child.unref();
  }
}

function notStarted(reason: string): DaemonError {
  return new DaemonError(
    'unreachable',
    `The Vitrine daemon could not be started: ${reason}`,
    'See "vitrine daemon logs".',
  );
}

function parse(printed: string): unknown {
  try {
    return JSON.parse(printed);
  } catch {
    return undefined;
  }
}
