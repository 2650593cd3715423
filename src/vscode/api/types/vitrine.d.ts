/**
 * The API of Vitrine for other extensions: `extensions.getExtension<VitrineApi>('vitrine.vitrine')`, then `activate()`.
 * Copy this folder next to your sources; it only needs `@types/vscode`. See docs/api.md.
 *
 * Times are ISO 8601; a numeric `timestamp` is in epoch milliseconds. Money is in US dollars,
 * durations are in milliseconds. `null` means unknown, never 0.
 */
import type { Event } from 'vscode';
import type {
  AgentInfo,
  Cost,
  ExecutorType,
  ReachedBudget,
  RunOptions,
  RunResult,
  TaskOptions,
  TokenUsage,
} from './runs.d.ts';
import type { NormalizedEntry, SessionEvent } from './transcript.d.ts';

export interface VitrineApi {
  /** Version of this API. Within one version, Vitrine only adds to it. */
  readonly version: 1;
  /** One class per agent program: `new api.executors.ClaudeCodeExecutor(config)`. */
  readonly executors: Executors;
  /** Output of a task's process, in order of arrival. */
  createOutputChunks(process: TaskProcess): AsyncIterable<Chunk>;
  /**
   * Runs an agent to its end, in a session that Vitrine records and shows. Rejects with a `VitrineError` if nothing
   * was started. A failed, stopped or paused run resolves; see the result.
   */
  run(prompt: string, options?: RunOptions): Promise<RunResult>;
  /** Agents that can be run here, installed or not: programs, Agent Client Protocol agents, servers, and agents from files. */
  agents(): Promise<readonly AgentInfo[]>;
  readonly sessions: Sessions;
  /** Queued runs and the runners that execute them. */
  readonly queue: Queue;
  /** Events of the sessions that run in this window. */
  readonly onEvent: Event<SessionEvent>;
}

/** Why a call was refused. Check `code`, not the text; more codes may be added. */
export interface VitrineError extends Error {
  readonly code:
    | 'workspace_untrusted'
    | 'folder_outside'
    | 'mode_refused'
    | 'request_invalid'
    | 'session_unknown'
    | 'budget_used_up'
    | 'race_failed'
    | 'race_conflict'
    | 'session_busy'
    | 'program_missing'
    | (string & {});
}

export interface Sessions {
  /** All sessions, newest first. */
  list(): Promise<readonly Session[]>;
  get(id: string): Promise<Session | undefined>;
  /** Entries with `from <= index < to`, in index order; default: all. */
  entries(id: string, from?: number, to?: number): Promise<readonly NormalizedEntry[]>;
  /**
   * Messages of people and the agent, in index order, without follow-ups, callbacks (`metadata.synthetic === true`)
   * and subagents.
   */
  history(id: string, options?: HistoryOptions): Promise<readonly NormalizedEntry[]>;
  /** Shows the session in its panel. */
  open(id: string): Promise<void>;
  /** Stops the session's run. Resolves when all processes of the agent have ended; at once if the session is not running. */
  stop(id: string): Promise<void>;
  /** Fires when a session starts, changes or ends; several times a second for a running one. */
  readonly onDidChange: Event<Session>;
}

/** The queue of this user's daemon: a run goes to the first runner (a window or `vitrine runner`) that meets its demands. */
export interface Queue {
  /** Runs in the order in which they were queued, including the newest 1,000 that have ended. */
  runs(): Promise<readonly QueuedRun[]>;
  runners(): Promise<readonly Runner[]>;
  /**
   * Queues a run, under the same rules as `run`. Rejects if no runner can ever take it. The run fails after five minutes if
   * no runner that can take it is online.
   */
  add(prompt: string, options?: QueueOptions): Promise<QueuedRun>;
  /** Removes a waiting run. Stops a running one, which is `stopping` until its agent has ended. */
  stop(runId: string): Promise<void>;
  /** Fires when a run is queued, taken by a runner, or has ended. The event does not include the prompt. */
  readonly onDidChange: Event<Omit<QueuedRun, 'prompt' | 'waiting'>>;
}

/** Options as for `run`, but `resume` accepts only a session ID (`ses_…`). */
export interface QueueOptions extends Pick<RunOptions, 'agent' | 'agentFile' | 'cwd' | 'resume' | 'model' | 'title'> {
  /** Demands in addition to those of the agent's file. */
  readonly demands?: Demands;
}

type Texts<K extends string> = { readonly [P in K]: string };
type OptionalTexts<K extends string> = { readonly [P in K]?: string | undefined };

/** Requirements for the runner: the same properties, and all of the tags. */
export interface Demands extends OptionalTexts<'hostname' | 'project_dir' | 'executor_type'> {
  readonly tags?: readonly string[];
}

type QueuedRunDetail = 'executor_type' | 'agent_name' | 'project_dir' | 'parent_session_id' | 'runner_id' | 'error';
type QueuedRunTime = 'claimed_at' | 'started_at' | 'completed_at' | 'timeout_at';
/** `timeout_at`: when the run fails if no runner can take it. `error`: why it failed. */
type QueuedRunDetails = OptionalTexts<QueuedRunDetail | QueuedRunTime>;

/** A run in the queue. Its session already exists while the run waits. */
export interface QueuedRun extends QueuedRunDetails, Texts<'run_id' | 'session_id' | 'prompt' | 'created_at'> {
  readonly type: 'start_session' | 'resume_session';
  readonly status: 'pending' | 'claimed' | 'running' | 'stopping' | 'completed' | 'failed' | 'stopped';
  /** Why no runner has taken the run; absent if one can take it now, or has taken it. More kinds may be added. */
  readonly waiting?: { readonly kind: string } | undefined;
  readonly execution_mode: 'sync' | 'async_poll' | 'async_callback';
  readonly demands?: Demands | undefined;
}

type RunnerTexts = 'runner_id' | 'registered_at' | 'last_heartbeat' | 'hostname' | 'project_dir' | 'executor_type';

/** `limit`: maximum number of runs at a time. `running`: current number of runs. */
export interface Runner extends Texts<RunnerTexts>, Partial<Record<'limit' | 'running', number | undefined>> {
  readonly seconds_since_heartbeat: number;
  readonly status: 'online' | 'stale';
  readonly tags: readonly string[];
}

export interface HistoryOptions {
  /** Includes automatic messages. Default false. */
  readonly includeSynthetic?: boolean;
}

export interface Session {
  readonly session_id: string;
  readonly parent_session_id?: string | undefined;
  readonly status: 'pending' | 'running' | 'stopping' | 'stopped' | 'finished';
  /** Outcome of the last run. */
  readonly outcome: 'none' | 'completed' | 'failed' | 'stopped' | 'interrupted';
  readonly reason?: string | undefined;
  readonly title?: string | undefined;
  /** First prompt of the session, cut to 200 characters. */
  readonly prompt: string;
  readonly agent_label: string;
  readonly agent_version: string | null;
  /** Name of the agent file from which the session was started. */
  readonly agent_name?: string | undefined;
  readonly executor_type?: ExecutorType | undefined;
  readonly executor_profile?: string | undefined;
  /** The agent's own ids of the conversation, oldest first. */
  readonly executor_session_ids: readonly string[];
  /** The newest of `executor_session_ids`. */
  readonly executor_session_id?: string | undefined;
  /** How the parent session gets the result of this one. */
  readonly execution_mode: 'sync' | 'async_poll' | 'async_callback';
  /** Name of the machine on which the session was started. */
  readonly hostname?: string | undefined;
  readonly model: string | null;
  readonly project_dir?: string | undefined;
  readonly created_at: string;
  readonly last_resumed_at?: string | undefined;
  readonly updated_at: string;
  readonly runs: number;
  readonly entries: number;
  readonly turns: number | null;
  /** Cost of the last run. */
  readonly cost: Cost;
  /** Token usage of the last run. */
  readonly usage: TokenUsage;
  /** Cost of the whole session. */
  readonly total_cost: Cost;
  /** Token usage of the whole session. */
  readonly total_usage: TokenUsage;
  /** `reached`: the limit that paused the session. */
  readonly budget?: { readonly reached?: ReachedBudget | undefined } | undefined;
  /** Whether the session was played from a recording, without a live agent. */
  readonly recording: boolean;
}

export interface Executors {
  readonly ClaudeCodeExecutor: ExecutorClass;
  readonly CodexExecutor: ExecutorClass;
  readonly CopilotExecutor: ExecutorClass;
  readonly GeminiExecutor: ExecutorClass;
  readonly CursorExecutor: ExecutorClass;
  /** Agent Client Protocol agents over stdio, as the user set them up (`vitrine.acp.agents`). */
  readonly AcpExecutor: ProfileExecutorClass;
  /** Servers of the Agent Communication Protocol over HTTP, as the user set them up (`vitrine.acpHttp.servers`). */
  readonly AcpHttpExecutor: ProfileExecutorClass;
  /** Agents from files (`.vitrine/agents`) of the workspace and of the user. */
  readonly AgentFileExecutor: AgentFileExecutorClass;
}

export type ProfileExecutorClass = new (config: ProfileConfig) => AgentExecutor;

export interface ProfileConfig extends ExecutorConfig {
  /** Id of the agent or server in the user's settings. */
  readonly profile: string;
}

export type AgentFileExecutorClass = new (config: AgentFileConfig) => AgentFileExecutor;

export interface AgentFileConfig extends ExecutorConfig {
  /** Name of the agent. */
  readonly agentFile: string;
}

/** `normalizeOutput` accepts only chunks of tasks that this executor started, and rejects others with a `VitrineError`. */
export type AgentFileExecutor = Omit<AgentExecutor, 'type'>;

export type ExecutorClass = new (config?: ExecutorConfig) => AgentExecutor;

export interface ExecutorConfig extends TaskOptions {
  /** Absolute path of a folder of this workspace; default: the first one. */
  readonly workDir?: string;
}

/** A prompt, alone or with options for this task. */
export type Task = string | (ExecutorConfig & { readonly prompt: string });

/**
 * Starts one kind of agent and reads its output. Vitrine records and shows the session like any other, and applies workspace
 * trust and budgets.
 */
export interface AgentExecutor {
  readonly type: ExecutorType;
  /** Starts a conversation. Rejects with a `VitrineError`. */
  executeTask(task: Task): Promise<SpawnedTask>;
  /** Resumes a conversation. `sessionId`: its `ses_…`, or any id that the agent gave it (`metadata.sessionId` of an entry). */
  resumeTask(task: Task, sessionId: string): Promise<SpawnedTask>;
  /**
   * Turns the output of a run into a transcript while it arrives. Yields each entry when it begins, in the order of `index`,
   * and again with the same `index` each time it changes (more text, the result of a tool); the last version counts. If the
   * id of the conversation is known at the start, entry 0 has it from the start. Never throws because of the content of
   * chunks.
   */
  normalizeOutput(
    chunks: AsyncIterable<Chunk>,
    workDir: string,
    options?: NormalizeOptions,
  ): AsyncGenerator<NormalizedEntry, void, undefined>;
}

export interface NormalizeOptions {
  /** Yields an entry only when it is complete, and again for each later correction. Default false. */
  readonly settledOnly?: boolean;
}

export interface SpawnedTask {
  readonly process: TaskProcess;
  /** The session in Vitrine (`ses_…`). */
  readonly session: string;
  /** The agent's id of the conversation, if already known; otherwise the metadata of entries will have it. */
  readonly sessionId: string | null;
}

export interface TaskProcess {
  /** What the agent prints, in order of arrival. */
  readonly output: AsyncIterable<Chunk>;
  /** Settles when the run has ended. Never rejects. */
  readonly done: Promise<RunResult>;
  stop(): Promise<void>;
}

export interface Chunk {
  readonly type: 'stdout' | 'stderr';
  readonly data: Uint8Array | string;
  readonly timestamp?: Date | number | undefined;
}
