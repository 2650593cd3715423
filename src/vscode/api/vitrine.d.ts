/**
 * The API of Vitrine for other extensions: `extensions.getExtension<VitrineApi>('vitrine.vitrine')`, then `activate()`.
 * Copy this file next to your sources; it only needs `@types/vscode`. See docs/api.md.
 *
 * Times are ISO 8601; a numeric `timestamp` is in epoch milliseconds. Money is in US dollars,
 * durations are in milliseconds. `null` means unknown, never 0.
 */
import type { CancellationToken, Event } from 'vscode';

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
  /** Agents that can be run here, installed or not: programs, agents of the Agent Client Protocol, servers, and agents from files. */
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

export type ExecutorType = 'claude-code' | 'codex' | 'copilot' | 'gemini' | 'cursor' | 'acp' | 'acp-http' | 'replay';

/** Limits of the run; the lower of these and the user's budgets apply. A run that reaches a limit is paused. */
export interface Limits {
  readonly usd?: number;
  /** Input, output and cache tokens. */
  readonly tokens?: number;
  /** Model responses in the main conversation. */
  readonly turns?: number;
  /** Active minutes of the agent, without the time it waits for the user. */
  readonly minutes?: number;
}

/** Omitted options use the user's settings. Only the user can set programs, arguments and environment. */
export interface TaskOptions {
  /** Model name, as the agent uses it. */
  readonly model?: string;
  /** One of the agent's own modes; a mode that skips approvals is refused. */
  readonly permissionMode?: string;
  readonly limits?: Limits;
  /** Title of the session; default: the first line of the prompt. Ignored with `resume`. */
  readonly title?: string;
}

export interface RunOptions extends TaskOptions {
  /** Default: `claude-code`, or with `resume` the agent of the session. */
  readonly agent?: ExecutorType;
  /** Id in the settings, if the executor has several agents (`acp`, `acp-http`). */
  readonly profile?: string;
  /** Name of an agent from a file (`.vitrine/agents`), which then sets the executor and profile. Ignored with `resume`. */
  readonly agentFile?: string;
  /** Absolute path of a folder of this workspace; default: the first one. Ignored with `resume`. */
  readonly cwd?: string;
  /** Resumes a session: its `ses_…`, or any id that the agent gave the conversation. */
  readonly resume?: string;
  /** Adds `events` to the result. Default false. */
  readonly includeEvents?: boolean;
  /** Cancelling it stops the run; the result then says that it was stopped. */
  readonly token?: CancellationToken;
}

/** An agent, with what `run` needs to start it. */
export interface AgentInfo {
  readonly label: string;
  readonly agent: ExecutorType;
  readonly profile?: string | undefined;
  /** Set if a file in `.vitrine/agents` defines the agent. */
  readonly agentFile?: string | undefined;
  /** `false`: its program was not found, or its file is inactive or has errors. */
  readonly available: boolean;
}

/** Result of one run. */
export interface RunResult {
  readonly success: boolean;
  /** Text of the whole answer. */
  readonly data?: string | undefined;
  readonly error?: string | undefined;
  /** Output of the agent, verbatim; at most the last 1 MiB. */
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
  /** Parts of the run that are missing from its record, for example because the disk was full. */
  readonly unrecorded?: { readonly path: string; readonly code: string; readonly bytes: number } | undefined;
  readonly metadata?: RunMetadata | undefined;
  /** Events of this run, ordered by time; only with `includeEvents`. */
  readonly events?: readonly RunEvent[] | undefined;
  /** The session in Vitrine (`ses_…`), to resume, open or read. */
  readonly session: string;
}

export interface RunMetadata {
  /** The agent's own id of the conversation after this run. Some agents assign a new one with every resume. */
  readonly sessionId: string | null;
  /** The agent's id of the conversation after the first run. */
  readonly originalSessionId: string | null;
  readonly model: string | null;
  /** Cost of this run. */
  readonly cost: number | null;
  /** Cost of the session so far. */
  readonly totalCost: number | null;
  readonly costProvenance: Cost;
  readonly totalCostProvenance: Cost;
  /** Turns of the session so far, as the agent counts them. */
  readonly turns: number | null;
  readonly duration: number | null;
  readonly apiDuration: number | null;
  /** The run reached a turn limit: it is paused and can be resumed. */
  readonly isMaxTurns: boolean;
  /** The run reached a limit in money, tokens or minutes: it is paused and can be resumed. */
  readonly isMaxBudget: boolean;
  /** The limit that the run reached. */
  readonly budget?: ReachedBudget | undefined;
  readonly usage: TokenUsage;
  /** `last_call`: `usage` covers only the last model call of each turn. Absent: it covers all calls. */
  readonly tokensOf?: 'last_call' | undefined;
  readonly totalUsage: TokenUsage;
  /** `completed`, `max_turns`, `max_budget`, `interrupted`, `error`, … */
  readonly endReason: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface ReachedBudget {
  readonly scope: 'message' | 'run' | 'session' | 'tree' | 'day' | 'agent' | 'workspace';
  readonly unit: 'usd' | 'tokens' | 'turns' | 'minutes';
  readonly limit: number;
  readonly spent: number;
  /** `agent`: the agent ended itself at its limit. */
  readonly by: 'vitrine' | 'agent';
}

/** Source of an amount. An unknown cost has no amount. */
export type Cost =
  | { readonly provenance: 'reported'; readonly usd: number }
  | {
      readonly provenance: 'estimated';
      readonly usd: number;
      readonly priceTable: { readonly name: string; readonly date: string };
      readonly reason?: string | undefined;
    }
  | { readonly provenance: 'unknown'; readonly reason: string };

/** Number of tokens by kind; a kind that was not reported is absent. `reasoning` is part of `output`, `cacheWrite1h` of `cacheWrite`. */
export interface TokenUsage {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly cacheWrite1h?: number | undefined;
  readonly reasoning?: number | undefined;
  readonly webSearches?: number | undefined;
}

/** A result has the `id` of its call. */
export type RunEvent =
  | { readonly type: 'content'; readonly text: string; readonly timestamp: number }
  | {
      readonly type: 'tool_use';
      readonly tool: string;
      readonly input: unknown;
      readonly id: string;
      readonly timestamp: number;
    }
  | {
      readonly type: 'tool_result';
      readonly tool: string;
      readonly output: unknown;
      readonly id: string;
      readonly timestamp: number;
    };

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

/** One event, as the coordinator streams it. */
export type SessionEvent = { readonly session_id: string; readonly timestamp: string } & (
  | { readonly event_type: 'session_start' }
  | ({ readonly event_type: 'pre_tool' } & EventCall)
  | ({
      readonly event_type: 'post_tool';
      readonly tool_output?: unknown;
      readonly error?: string | null | undefined;
    } & EventCall)
  | {
      readonly event_type: 'session_stop';
      readonly exit_code?: number | undefined;
      readonly reason?: string | undefined;
    }
  | {
      readonly event_type: 'message';
      readonly role: 'assistant' | 'user';
      readonly content: readonly { readonly type: 'text'; readonly text: string }[];
      readonly parent_tool_call_id?: string | undefined;
      /** Marks an automatic message. */
      readonly metadata?: SyntheticMetadata | undefined;
    }
);

export interface EventCall {
  readonly tool_name: string;
  readonly tool_input?: Readonly<Record<string, unknown>> | undefined;
  readonly tool_call_id?: string | undefined;
  readonly parent_tool_call_id?: string | undefined;
}

/** One line of a transcript. */
export interface NormalizedEntry {
  /** Position in the session, from 0, counted over all its runs. */
  readonly index: number;
  readonly timestamp: string;
  readonly type: EntryType;
  /** Markdown text. An agent may have written it: do not trust it. */
  readonly content: string;
  readonly metadata?: NormalizedEntryMetadata | undefined;
  /** Who caused a message. */
  readonly origin?: string | undefined;
}

export type EntryType =
  | { readonly kind: 'system_message'; readonly subtype?: string | undefined }
  | { readonly kind: 'user_message' }
  | { readonly kind: 'assistant_message' }
  | { readonly kind: 'thinking'; readonly reasoning?: string | undefined }
  | { readonly kind: 'tool_use'; readonly tool: ToolUse }
  | {
      readonly kind: 'error';
      readonly error: {
        readonly message: string;
        readonly code?: string | undefined;
        readonly stack?: string | undefined;
      };
    };

export interface ToolUse {
  readonly toolName: string;
  readonly callId: string;
  readonly parentCallId?: string | undefined;
  /** What the call does, in terms that all agents share. */
  readonly action: { readonly kind: string };
  /** Input of the call, exactly as the agent printed it. */
  readonly input?: unknown;
  readonly status: 'created' | 'running' | 'success' | 'failed' | 'denied' | 'cancelled';
  readonly result?:
    { readonly text?: string | undefined; readonly data?: unknown; readonly isError?: boolean | undefined } | undefined;
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
}

/**
 * Every entry has it once Vitrine knows the conversation. `null`: the agent does not support the field. Other keys are
 * agent-specific.
 */
export interface NormalizedEntryMetadata extends SyntheticMetadata {
  /** The agent's id of the conversation; pass it to `resume`. */
  readonly sessionId?: string | null | undefined;
  readonly model?: string | null | undefined;
  /** Call id of the subagent that the entry belongs to; absent in the main conversation. */
  readonly parentCallId?: string | undefined;
  /** Citations and trajectory steps of this entry's text. */
  readonly annotations?: readonly Annotation[] | undefined;
  /** For streamed texts and thoughts: when the first part arrived, ISO 8601. `timestamp` is when it was complete. */
  readonly startedAt?: string | undefined;
  readonly [key: string]: unknown;
}

/**
 * Marks an automatic message. Only `synthetic === true` counts: otherwise a person wrote it.
 *
 * @example { synthetic: true, trigger_type: 'task_incomplete', trigger_reason: '2 of 3 todos are open' }
 */
export interface SyntheticMetadata {
  readonly synthetic?: boolean | undefined;
  /** Absent for callbacks, which report results of child sessions. */
  readonly trigger_type?: TriggerType | undefined;
  readonly trigger_reason?: string | undefined;
}

/** Reason for an automatic message. */
export type TriggerType = 'check_in' | 'question_unanswered' | 'task_incomplete' | 'waiting_for_decision';

export type Annotation = Citation | Trajectory;

/**
 * Source of a part of the text. The range counts code points of `content`, `start_index` inclusive, `end_index`
 * exclusive; without it, the citation covers the whole text.
 *
 * @example { kind: 'citation', url: 'https://example.com/study', title: 'Study', start_index: 15, end_index: 27 }
 */
export interface Citation {
  readonly kind: 'citation';
  readonly start_index?: number | null | undefined;
  readonly end_index?: number | null | undefined;
  readonly url?: string | null | undefined;
  readonly title?: string | null | undefined;
  /** Description of the source, or a snippet from it. */
  readonly description?: string | null | undefined;
}

/**
 * One step behind the text. The range is as for a citation; without it, the step covers the whole text.
 *
 * @example { kind: 'trajectory', tool_name: 'weather_api', tool_input: { location: 'Oslo' }, tool_output: { temperature: 7 } }
 */
export interface Trajectory {
  readonly kind: 'trajectory';
  /** What the agent thought or said before the step. */
  readonly message?: string | null | undefined;
  readonly tool_name?: string | null | undefined;
  readonly tool_input?: Readonly<Record<string, unknown>> | null | undefined;
  readonly tool_output?: Readonly<Record<string, unknown>> | null | undefined;
  readonly start_index?: number | null | undefined;
  readonly end_index?: number | null | undefined;
}

export interface Executors {
  readonly ClaudeCodeExecutor: ExecutorClass;
  readonly CodexExecutor: ExecutorClass;
  readonly CopilotExecutor: ExecutorClass;
  readonly GeminiExecutor: ExecutorClass;
  readonly CursorExecutor: ExecutorClass;
  /** Agents of the Agent Client Protocol over stdio, as the user set them up (`vitrine.acp.agents`). */
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
