import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { endLeftovers } from '../../processes/leftovers.mjs';
import { endGroup, killGroup } from '../../processes/processGroup.ts';

/** A script that runs with this Node in its own process group. */
export interface Step {
  readonly name: string;
  readonly args: readonly string[];
  /** In minutes; absent: `usualLimit`. */
  readonly limit?: number;
  /** Whether output goes directly to the terminal; otherwise to `StepEnd`. */
  readonly inherit?: boolean;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface StepEnd {
  readonly ok: boolean;
  /** Reason of a failure, as the end of a sentence. */
  readonly problem?: string;
  /** The script was killed and could not print a reason. */
  readonly abrupt: boolean;
  readonly output: string;
  /** Duration in seconds. */
  readonly seconds: number;
}

const usualLimit = 15;
/** Time for a script to end its processes, in ms. */
const patience = 10_000;
const running = new Map<number, string>();
let interrupted = false;

/** Runs the step, and kills its process tree after its limit. */
export function runStep({ name, args, limit = usualLimit, inherit = false, env }: Step): Promise<StepEnd> {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: inherit ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    env: { ...process.env, ...env },
  });
  const { pid } = child;
  if (pid !== undefined) running.set(pid, name);
  const kill = (): void => {
    if (pid !== undefined) killGroup(pid);
  };
  process.once('exit', kill);
  const output: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk));
  let exceeded = false;
  const timer = setTimeout(() => {
    exceeded = true;
    if (pid !== undefined) void endGroup(pid, patience);
  }, limit * 60_000);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // Not 'close': a leftover process may hold the pipe open.
    const closed = new Promise((close) => child.once('close', close));
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      const end = async (): Promise<StepEnd> => {
        if (pid !== undefined) await endGroup(pid, 2000);
        await Promise.race([closed, delay(1000)]);
        child.stdout?.destroy();
        child.stderr?.destroy();
        running.delete(pid ?? 0);
        process.off('exit', kill);
        // After an interruption, the interrupt handler prints the result.
        if (interrupted) return new Promise(() => undefined);
        const how = signal === null ? `ended with exit code ${String(code)}` : `was ended by ${signal}`;
        const problem = exceeded ? `exceeded its limit of ${limit} minutes and was stopped` : how;
        return {
          ok: code === 0 && !exceeded,
          abrupt: exceeded || code === null || code > 1,
          ...((code !== 0 || exceeded) && { problem }),
          output: Buffer.concat(output).toString(),
          seconds: (performance.now() - started) / 1000,
        };
      };
      end().then(resolve, reject);
    });
  });
}

/** Ends all running steps and returns their names. Their `runStep` never settles. */
export async function endSteps(): Promise<string[]> {
  interrupted = true;
  const names = [...running.values()];
  await Promise.all([...running.keys()].map((pid) => endGroup(pid, patience)));
  await endLeftovers(tmpdir(), 0);
  return names;
}
