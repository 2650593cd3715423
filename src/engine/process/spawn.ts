import type { Readable } from 'node:stream';
import type { Options } from 'execa';
import type { ExitInfo } from '../../model/usage/facts.ts';
import { agentInput, type AgentInput } from './agentInput.ts';
import { failures } from '../failures/failures.ts';
import { withoutShim } from '../programs/cmdShim.ts';

const agentOptions = {
  extendEnv: false,
  buffer: false,
  encoding: 'buffer',
  reject: false,
  // A process group of its own, so that signals reach all its processes. Ends with this process.
  killDescendants: true,
  cleanup: true,
  forceKillAfterDelay: false,
  windowsHide: true,
} as const satisfies Options;

/** A started process. If the start failed, `pid` is absent and `exit` has the reason. */
export interface SpawnedProcess {
  readonly pid: number | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** `null` if it was closed at once. */
  readonly input: AgentInput | null;
  /** Settles when the process has exited; its streams may still have data. Never rejects. */
  readonly exit: Promise<ExitInfo & { readonly problem: Error | null }>;
}

export interface SpawnRequest {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Text to write before closing the input; some agents block on an open input. `null`: keep it open. */
  readonly stdin: string | null;
}

/** execa does not load in older Node versions. @throws EngineFailure */
export function assertCanSpawn(): void {
  if (Number(process.versions.node.split('.')[0]) < 22) throw failures.nodeTooOld(process.version);
}

/** Loaded late, to keep activation fast. */
function load() {
  assertCanSpawn();
  return import('execa');
}

/** Only Windows has scripts that have to be resolved to a program. */
async function resolveProgram(path: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  return process.platform === 'win32' ? await withoutShim(path, args, env) : { file: path, args };
}

/** Uses no shell. @throws EngineFailure if this Node cannot start agents */
export async function spawnAgent(request: SpawnRequest): Promise<SpawnedProcess> {
  const { execa } = await load();
  const { path, cwd, env, stdin } = request;
  const { file, args } = await resolveProgram(path, request.args, env);
  const subprocess = execa(file, args, { ...agentOptions, cwd, env, ...(stdin === null ? {} : { input: stdin }) });
  const { stdout, stderr, nodeChildProcess: child } = subprocess;
  // Both execa and, after exit, Node discard output that nobody reads; `pause` stops only execa.
  for (const stream of [stdout, stderr]) stream.on('readable', () => undefined);
  const exit: SpawnedProcess['exit'] = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, problem: null }));
    child.once('error', (problem) => resolve({ code: null, signal: null, problem }));
    // If starting fails early, such as for an argument with a NUL, there are no events.
    void subprocess.then(({ exitCode, signal, originalMessage }) => {
      const hasNotStarted = exitCode === undefined && signal === undefined;
      resolve({
        code: exitCode ?? null,
        signal: signal ?? null,
        problem: hasNotStarted ? new Error(originalMessage) : null,
      });
    });
  });
  const input = stdin === null && child.stdin !== null ? agentInput(child.stdin) : null;
  return { pid: child.pid, stdout, stderr, input, exit };
}

export interface BriefOutcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** The output exceeded `maxBytes` and was cut. */
  readonly isTruncated: boolean;
}

export interface BriefOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly cwd?: string;
  /** Default: 1 MiB. */
  readonly maxBytes?: number;
  /** Keep the last line break of the output. */
  readonly keepsLastLineBreak?: boolean;
  /** Input; absent: none. */
  readonly input?: string;
}

/** Runs a short query with limited output. Ends the whole process tree after the timeout. */
export async function runQuery(path: string, args: readonly string[], options: BriefOptions): Promise<BriefOutcome> {
  const { execa } = await load();
  const command = await resolveProgram(path, args, options.env);
  const result = await execa(command.file, command.args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: options.env,
    extendEnv: false,
    ...(options.input === undefined ? { stdin: 'ignore' as const } : { input: options.input }),
    stripFinalNewline: options.keepsLastLineBreak !== true,
    reject: false,
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL',
    killDescendants: true,
    maxBuffer: options.maxBytes ?? 1 << 20,
    windowsHide: true,
  });
  return {
    exitCode: result.exitCode ?? null,
    stdout: result.stdout,
    stderr: result.stderr === '' && result.exitCode === undefined ? (result.originalMessage ?? '') : result.stderr,
    timedOut: result.timedOut,
    isTruncated: result.isMaxBuffer,
  };
}
