import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { AgentAdapter, AgentOptions } from '../agents/adapter.ts';
import { claudeCode } from '../agents/claude-code/adapter.ts';
import type { Capabilities } from '../model/capabilities.ts';
import type { NormalizedEntry } from '../model/entry.ts';
import type { ExitInfo } from '../model/facts.ts';
import { startAgentProcess, type AgentProcess } from './agentProcess.ts';
import { agentEnvironment } from './environment.ts';
import { EngineFailure } from './failures.ts';
import { runId, uuid } from './ids.ts';
import { ProgramFinder } from './program.ts';
import { RecentEntries } from './recentEntries.ts';
import { RunOutput } from './runOutput.ts';

export interface ExecutorConfig extends Omit<AgentOptions, 'mcpServers' | 'trustedServers'> {
  /** Absolute path of the folder to run in; default: that of this process. */
  readonly workDir?: string;
  /** Absolute path of the program; absent: it is looked for. */
  readonly program?: string;
  /** Added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A prompt, alone or with what is different for this task. */
export type Task = string | (ExecutorConfig & { readonly prompt: string });

export interface Chunk {
  readonly type: 'stdout' | 'stderr';
  readonly data: Uint8Array | string;
  readonly timestamp?: Date | number;
}

export interface SpawnedTask {
  readonly process: AgentProcess;
  /** The id that the agent will use, where we chose it; else it is in the metadata of its entries. */
  readonly sessionId: string | null;
  readonly warnings: readonly string[];
}

const ladder = [
  { signal: 'SIGINT', graceMs: 5000 },
  { signal: 'SIGTERM', graceMs: 5000 },
] as const;

/** Starts one kind of agent and reads what it prints; without sessions and records, for use by itself. */
export class AgentExecutor {
  readonly #adapter: AgentAdapter;
  readonly #config: ExecutorConfig;
  readonly #programs = new ProgramFinder();

  constructor(adapter: AgentAdapter, config: ExecutorConfig = {}) {
    this.#adapter = adapter;
    this.#config = config;
  }

  /** Begins a conversation. @throws EngineFailure */
  executeTask(task: Task): Promise<SpawnedTask> {
    return this.#spawn(task, undefined);
  }

  /** Goes on with one, by the agent's own id for it. @throws EngineFailure */
  resumeTask(task: Task, sessionId: string): Promise<SpawnedTask> {
    return this.#spawn(task, sessionId);
  }

  /**
   * The transcript as it comes: an entry is given each time it has settled, which is when it is complete, and once more for
   * each later correction (the same `index` again; the last one counts). What is still open at the end comes then. A chunk
   * without a time arrived now.
   */
  async *normalizeOutput(
    chunks: AsyncIterable<Chunk>,
    workDir: string,
    exit: PromiseLike<ExitInfo> | ExitInfo = { code: null, signal: null },
  ): AsyncGenerator<NormalizedEntry> {
    const output = new RunOutput(this.#adapter.createNormalizer({ workDir, firstIndex: 0 }));
    const recent = new RecentEntries();
    let at = Date.now();
    for await (const { type, data, timestamp } of chunks) {
      at = timestamp === undefined ? Date.now() : Number(timestamp);
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      yield* recent.apply(output.push(type, bytes, at));
      recent.trim(true);
    }
    yield* recent.apply(output.end(await exit, at));
    yield* recent.unsettled();
  }

  getCapabilities(): Capabilities {
    return this.#adapter.capabilities;
  }

  async #spawn(task: Task, resume: string | undefined): Promise<SpawnedTask> {
    const adapter = this.#adapter;
    const config = { ...this.#config, ...(typeof task === 'string' ? { prompt: task } : task) };
    const { variables: env } = agentEnvironment(process.env, adapter.ownVariables, config.environment);
    const program = await this.#programs.find(adapter, { explicitPath: config.program, env });
    if (EngineFailure.is(program)) throw program;
    const randomHex = (digits: number): string => randomBytes(digits).toString('hex').slice(0, digits);
    const newSessionId = uuid(randomHex);
    const resumed = resume === undefined ? {} : { resume };
    const command = adapter.command({ prompt: config.prompt, options: config, program, newSessionId, ...resumed });
    const spawned = await startAgentProcess({
      label: adapter.label,
      runId: runId(randomHex),
      path: program.path,
      args: command.args,
      stdin: command.stdin ?? '',
      cwd: path.resolve(config.workDir ?? '.'),
      env,
      clock: Date.now,
      ladder: [{ ...ladder[0], signal: adapter.politeSignal }, ladder[1]],
    });
    return { process: spawned, sessionId: command.sessionId, warnings: command.warnings };
  }
}

export class ClaudeCodeExecutor extends AgentExecutor {
  constructor(config: ExecutorConfig = {}) {
    super(claudeCode, config);
  }
}

/** What the process prints, in the order in which it arrives; may be read once, and holds the process back when it is not. */
export function createOutputChunks(process: Pick<AgentProcess, 'output'>): AsyncIterable<Chunk> {
  return process.output;
}
