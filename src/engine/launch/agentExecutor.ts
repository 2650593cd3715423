import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AgentAdapter, AgentOptions } from '../../agents/adapter.ts';
import { claudeCode } from '../../agents/claude-code/adapter.ts';
import type { Capabilities } from '../../model/session/capabilities.ts';
import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ExitInfo } from '../../model/usage/facts.ts';
import { startAgentProcess, type AgentProcess } from '../process/agentProcess.ts';
import { EntryStream } from '../output/entryStream.ts';
import { agentEnvironment } from '../process/agentEnvironment.ts';
import { EngineFailure } from '../failures/failures.ts';
import { randomHex, runId, uuid } from '../ids.ts';
import { ProgramFinder } from '../programs/programFinder.ts';
import { RecentEntries } from '../sessions/recentEntries.ts';
import { RunOutput } from '../output/runOutput.ts';
import { createPrivateFolder, SideFiles } from '../output/sideFiles.ts';
import { storedLine } from './storedLine.ts';

export interface ExecutorConfig extends Omit<AgentOptions, 'mcpServers' | 'trustedServers'> {
  /** Absolute path of the working folder; default: that of this process. */
  readonly workDir?: string;
  /** Absolute path of the program; if absent, Vitrine searches for it. */
  readonly program?: string;
  /** Variables added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A prompt, or a prompt with options. */
export type Task = string | (ExecutorConfig & { readonly prompt: string });

export interface Chunk {
  readonly type: 'stdout' | 'stderr';
  readonly data: Uint8Array | string;
  readonly timestamp?: Date | number;
}

export interface SpawnedTask {
  readonly process: AgentProcess;
  /** Session id that the agent will use, if we chose it; otherwise it is in the metadata of entries. */
  readonly sessionId: string | null;
  readonly warnings: readonly string[];
}

export interface ReadOptions {
  /** How the process ended; determines the state of unfinished entries. */
  readonly exit?: PromiseLike<ExitInfo> | ExitInfo;
  /** Emit each entry only when it is complete, and again for later corrections. */
  readonly settledOnly?: boolean;
  /** The agent's conversation id, if the chunks do not contain it. */
  readonly sessionId?: () => string | null;
}

/** What is known about the chunks besides their content. */
interface Source {
  readonly context: { readonly sessionId?: string; readonly resume?: string };
  readonly sideFiles?: SideFiles;
  readonly stored?: (conversationId: string | undefined) => Promise<string | null>;
}

const sources = new WeakMap<object, Source>();

const ladder = [
  { signal: 'SIGINT', graceMs: 5000 },
  { signal: 'SIGTERM', graceMs: 5000 },
] as const;

/** Starts one kind of agent and reads its output. Standalone: no sessions, no records. */
export class AgentExecutor {
  readonly #adapter: AgentAdapter;
  readonly #config: ExecutorConfig;
  readonly #programs = new ProgramFinder();

  constructor(adapter: AgentAdapter, config: ExecutorConfig = {}) {
    this.#adapter = adapter;
    this.#config = config;
  }

  /** Starts a conversation. @throws EngineFailure */
  executeTask(task: Task): Promise<SpawnedTask> {
    return this.#spawn(task, undefined);
  }

  /** Resumes a conversation by the agent's id for it. @throws EngineFailure */
  resumeTask(task: Task, sessionId: string): Promise<SpawnedTask> {
    return this.#spawn(task, sessionId);
  }

  /**
   * Streams the transcript. An entry is emitted when it starts, and again with the same `index` when it changes. New
   * entries come in index order. If the conversation id is known at the start, the entry at index 0 reports it before
   * any output. Chunks without a timestamp count as arriving now.
   */
  async *normalizeOutput(
    chunks: AsyncIterable<Chunk>,
    workDir: string,
    { exit = { code: null, signal: null }, settledOnly = false, sessionId }: ReadOptions = {},
  ): AsyncGenerator<NormalizedEntry> {
    const { context = {}, sideFiles, stored } = sources.get(chunks) ?? {};
    const output = new RunOutput(this.#adapter.createNormalizer({ workDir, firstIndex: 0, ...context }));
    const entries = settledOnly ? new SettledEntries() : new EntryStream();
    const known = (batch: readonly NormalizedEntry[]): readonly NormalizedEntry[] =>
      batch.map((entry) => withId(entry, sessionId?.() ?? null));
    let at = Date.now();
    const startId = sessionId?.() ?? context.sessionId ?? null;
    if (startId !== null && !settledOnly) yield startEntry(startId, at);
    try {
      for await (const { type, data, timestamp } of chunks) {
        at = timestamp === undefined ? Date.now() : Number(timestamp);
        const bytes = typeof data === 'string' ? Buffer.from(data) : data;
        yield* known(entries.apply([...(sideFiles?.readUpdates(output, at) ?? []), ...output.push(type, bytes, at)]));
      }
      const sideUpdates = await sideFiles?.end(output, at);
      yield* known(entries.apply(sideUpdates?.updates ?? output.flush(at)));
      const line = await stored?.(output.facts().sessionIds.at(-1));
      const stated = typeof line === 'string' ? output.sideLine('store', line, at) : [];
      yield* known(entries.apply([...stated, ...output.end(await exit, at)]));
      yield* known(entries.end());
    } finally {
      sideFiles?.stop();
    }
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
    const newSessionId = uuid(randomHex);
    const resumed = resume === undefined ? {} : { resume };
    const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-task-'));
    const runFolder = path.join(folder, 'run');
    const { prompt } = config;
    const command = adapter.command({ prompt, options: config, program, newSessionId, runFolder, ...resumed });
    if (command.sideFiles === undefined) await rm(folder, { recursive: true, force: true });
    else await createPrivateFolder(runFolder);
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
    const { sessionId, sideFiles, warnings } = command;
    const { label } = adapter;
    const usageFile = path.join(folder, 'usage');
    const side = sideFiles && new SideFiles(sideFiles, { label, folder: runFolder, usageFile, pid: spawned.pid });
    sources.set(spawned.output, {
      context: { ...resumed, ...(sessionId !== null && { sessionId }) },
      ...(side !== undefined && { sideFiles: side }),
      stored: (conversationId: string | undefined) => storedLine(adapter, conversationId, env),
    });
    if (side !== undefined) {
      void spawned.exit.then(async () => {
        side.stop();
        await rm(folder, { recursive: true, force: true }).catch(() => undefined);
      });
    }
    return { process: spawned, sessionId, warnings };
  }
}

export class ClaudeCodeExecutor extends AgentExecutor {
  constructor(config: ExecutorConfig = {}) {
    super(claudeCode, config);
  }
}

/** Emits entries only when settled, and the unfinished ones at the end. */
class SettledEntries {
  readonly #recentEntries = new RecentEntries();

  apply(updates: readonly EntryUpdate[]): NormalizedEntry[] {
    const settled = this.#recentEntries.apply(updates);
    this.#recentEntries.trim(true);
    return settled;
  }

  end(): NormalizedEntry[] {
    return this.#recentEntries.unsettled();
  }
}

/** Placeholder until the agent's first entry arrives, which can take seconds. */
function startEntry(sessionId: string, at: number): NormalizedEntry {
  return {
    index: 0,
    timestamp: new Date(at).toISOString(),
    type: { kind: 'system_message', subtype: 'init' },
    content: `- Session: \`${sessionId}\``,
    metadata: { sessionId, model: null },
  };
}

function withId(entry: NormalizedEntry, sessionId: string | null): NormalizedEntry {
  const { metadata } = entry;
  if (sessionId === null || typeof metadata?.sessionId === 'string') return entry;
  return { ...entry, metadata: { model: null, ...metadata, sessionId } };
}

/** Output of a process in order of arrival. Read it once; the process blocks while it is not read. */
export function createOutputChunks(process: Pick<AgentProcess, 'output'>): AsyncIterable<Chunk> {
  return process.output;
}
