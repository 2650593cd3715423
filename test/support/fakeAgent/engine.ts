import { mkdtempSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { claudeCode } from '../../../src/agents/claude-code/adapter.ts';
import type { EngineDeps } from '../../../src/engine/engineDeps.ts';
import type { SessionHandle, StartRequest } from '../../../src/engine/api.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { randomHex } from '../../../src/engine/ids.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { RunResult } from '../../../src/model/session/result.ts';
import { isWindows, platformVariables } from '../platform.ts';
import { silentLog } from '../silentLog.ts';
import { until } from '../until.ts';

/** On Windows, a script for `cmd.exe`, as npm installs programs there. */
export const fakeAgent = path.resolve(`test/support/fakeAgent/agent.${isWindows ? 'cmd' : 'mjs'}`);

export type Step = Readonly<Record<string, unknown>>;

/** An engine in a temporary folder, with the fake agent as Claude Code. */
export class Bench {
  readonly dir = mkdtempSync(path.join(tmpdir(), 'vitrine-engine-'));
  readonly store = path.join(this.dir, 'store');
  readonly cwd = path.join(this.dir, 'work');
  /** File with the pids of the agent and its children. */
  readonly pidFile = path.join(this.dir, 'pids');
  readonly log: string[] = [];
  readonly #engines: Engine[] = [];

  async engine(change: Partial<EngineDeps> = {}): Promise<Engine> {
    await mkdir(this.cwd, { recursive: true });
    const engine = new Engine({ ...benchDeps(this.store), log: this.#log(), ...change });
    this.#engines.push(engine);
    return engine;
  }

  request(steps: readonly Step[]): StartRequest {
    return { agent: 'claude-code', cwd: this.cwd, prompt: prompt(steps) };
  }

  /** Creates the file `go`, for which the step `until` waits. */
  async go(): Promise<void> {
    await writeFile(path.join(this.dir, 'go'), '');
  }

  pids(): number[] {
    return readFileSync(this.pidFile, 'utf8').trim().split('\n').map(Number);
  }

  /** The agent's pid, when it has written all of it: the file exists a moment before, and is empty. */
  async agentPid(): Promise<number> {
    const text = await until('the agent to work', async () => {
      const written = await readFile(this.pidFile, 'utf8').catch(() => '');
      return written.endsWith('\n') && written;
    });
    return Number.parseInt(text, 10);
  }

  async close(): Promise<void> {
    for (const engine of this.#engines) await engine.dispose();
    await rm(this.dir, { recursive: true, force: true });
  }

  #log(): EngineDeps['log'] {
    const add = (message: string): void => void this.log.push(message);
    return { debug: add, info: add, warn: add, error: add };
  }
}

/** Also usable in another process. */
export function benchDeps(store: string): EngineDeps {
  return {
    storeDir: store,
    clock: Date.now,
    randomHex,
    environment: { ...platformVariables, PATH: process.env['PATH'], HOME: path.dirname(store) },
    settings: () => ({ agents: { 'claude-code': { program: fakeAgent } }, replaySpeed: 0 }),
    log: silentLog,
    demoDir: path.resolve('test/fixtures/replay'),
    adapters: [claudeCode],
    timing: { politeGraceMs: 500, termGraceMs: 500 },
  };
}

export function prompt(steps: readonly Step[]): string {
  return JSON.stringify(steps);
}

export async function waitForResult(handle: SessionHandle): Promise<RunResult> {
  const result = await handle.done;
  if (result === undefined) throw new Error('no run goes on');
  return result;
}

export async function readEntries(handle: SessionHandle): Promise<readonly NormalizedEntry[]> {
  return handle.read(0, handle.entryCount());
}

/** Resolves when there is an entry with this text. */
export async function waitForEntry(handle: SessionHandle, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const look = async (): Promise<void> => {
      const all = await readEntries(handle);
      // The prompt is the agent's script and contains all its texts, so it does not count.
      if (all.some(({ type, content }) => type.kind !== 'user_message' && content.includes(text))) resolve();
    };
    const registration = handle.onUpdates(() => {
      look().then(
        () => undefined,
        (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
      );
    });
    void handle.done.finally(() => registration.dispose());
    look().catch(reject);
  });
}
