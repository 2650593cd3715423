import { windowsProgram } from '../programs/systemPrograms.ts';
import { startAgentProcess } from '../process/agentProcess.ts';
import { thisMachine } from '../process/identity/holder.ts';
import { ownIdentity } from '../process/identity/identity.ts';
import type { ProcessLeases } from '../process/leases.ts';
import { EngineFailure } from '../failures/failures.ts';
import type { CommandResult } from '../../model/race/race.ts';

/** Bytes of output that are kept. */
const maxOutput = 16 << 10;
const ladder = [
  { signal: 'SIGINT', graceMs: 2000 },
  { signal: 'SIGTERM', graceMs: 2000 },
] as const;

export interface ShellCommand {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Id for the lease of its processes. */
  readonly runId: string;
  readonly sessionId: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Runs a command of the user in the shell. Ends all its processes if the signal aborts or the time is up. Never rejects. */
export async function runShell(
  request: ShellCommand,
  { leases, clock }: { readonly leases: ProcessLeases; readonly clock: () => number },
): Promise<CommandResult> {
  const { command, cwd, env, runId, sessionId, timeoutMs, signal } = request;
  const began = clock();
  const elapsedMs = (): number => Math.max(0, clock() - began);
  const failed = (output: string): CommandResult => ({
    exit_code: null,
    signal: null,
    duration_ms: elapsedMs(),
    timed_out: false,
    output,
  });
  if (isAborted(signal)) return failed('');
  const { hostname, machine } = await thisMachine();
  const content = {
    run_id: runId,
    session_id: sessionId,
    program: command,
    hostname,
    machine,
    at: new Date(began).toISOString(),
    owner: await ownIdentity(),
  };
  try {
    const [path, ...args] = shellFor(command, env);
    const running = await startAgentProcess({
      ...{ path, args, cwd, env, stdin: '', label: command, runId, ladder, clock },
      lease: { leases, content },
    });
    let timedOut = false;
    const stop = (): void => void running.stop();
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    // It may have aborted while the process started.
    if (isAborted(signal)) stop();
    const tail = new Tail();
    for await (const { data } of running.output) tail.add(data);
    const exit = await running.exit;
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    await running.leftovers();
    return {
      exit_code: exit.code,
      signal: exit.signal,
      duration_ms: elapsedMs(),
      timed_out: timedOut,
      output: tail.text(),
    };
  } catch (error) {
    if (EngineFailure.is(error)) return failed(`${error.message}\n${error.detail}`);
    throw error;
  }
}

function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}

function shellFor(command: string, env: Readonly<Record<string, string>>): [string, ...string[]] {
  if (process.platform !== 'win32') return ['/bin/sh', '-c', command];
  const all = ['-NoProfile', '-NonInteractive', '-Command', `${command}; exit $LASTEXITCODE`];
  return [windowsProgram('powershell', env), ...all];
}

/** The end of an output. */
class Tail {
  #chunks: Buffer[] = [];
  #length = 0;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length <= maxOutput * 2) return;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all.subarray(all.length - maxOutput)];
    this.#length = maxOutput;
  }

  text(): string {
    const all = Buffer.concat(this.#chunks);
    const text = all.subarray(Math.max(0, all.length - maxOutput)).toString('utf8');
    return all.length > maxOutput ? text.slice(text.indexOf('\n') + 1) : text;
  }
}
