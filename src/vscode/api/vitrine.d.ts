/**
 * The API of Vitrine for other extensions: `extensions.getExtension<VitrineApi>('vitrine.vitrine')`, then `activate()`.
 * Copy this file next to your sources; it only needs `@types/vscode`. See docs/api.md.
 *
 * Times are ISO 8601; a numeric `timestamp` is in epoch milliseconds. Money is in US dollars,
 * durations are milliseconds. `null` is unknown, never 0.
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
  /** Runs that wait for a runner or have one, and the runners. */
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
  /** Input, output and cache. */
  readonly tokens?: number;
  /** Responses of the model in the main conversation. */
  readonly turns?: number;
  /** In which the agent is running. */
  readonly minutes?: number;
}

/** Omitted options use the user's settings. Only the user can set programs, arguments and environment. */
export interface TaskOptions {
  /** Name as the agent uses it. */
  readonly model?: string;
  /** One of the agent's own modes; a mode that skips approvals is refused. */
  readonly permissionMode?: string;
  readonly limits?: Limits;
  /** Name of the session; default: the first line of the prompt. Not for a resume. */
  readonly title?: string;
}

export interface RunOptions extends TaskOptions {
  /** Default `claude-code`; with `resume` that of the session. */
  readonly agent?: ExecutorType;
  /** Id in the settings, if the executor has several agents (`acp`, `acp-http`). */
  readonly profile?: string;
  /** Name of an agent from a file (`.vitrine/agents`), which then decides on executor and profile. Not for a resume. */
  readonly agentFile?: string;
  /** Absolute path of a folder of this workspace; default: the first one. Not for a resume. */
  readonly cwd?: string;
  /** Resumes a session: its `ses_…`, or any id that the agent gave the conversation. */
  readonly resume?: string;
  /** Adds `events` to the result. Default false. */
  readonly includeEvents?: boolean;
  /** Stops the run; the result then says so. */
  readonly token?: CancellationToken;
}

/** An agent, with what `run` needs to start it. */
export interface AgentInfo {
  readonly label: string;
  readonly agent: ExecutorType;
  readonly profile?: string | undefined;
  /** Set where the agent is from a file. */
  readonly agentFile?: string | undefined;
  /** `false`: its program was not found, or its file is inactive or has errors. */
  readonly available: boolean;
}

/** Result of one run. */
export interface RunResult {
  readonly success: boolean;
  /** The whole answer's text. */
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
  /** The agent's own id of the conversation after this run. Some versions give a new one with every resume. */
  readonly sessionId: string | null;
  /** The first one. */
  readonly originalSessionId: string | null;
  readonly model: string | null;
  /** Of this run. */
  readonly cost: number | null;
  /** Of the session so far. */
  readonly totalCost: number | null;
  readonly costProvenance: Cost;
  readonly totalCostProvenance: Cost;
  /** Of the session so far, as the agent counts them. */
  readonly turns: number | null;
  readonly duration: number | null;
  readonly apiDuration: number | null;
  /** The run reached a turn limit: it is paused and can be resumed. */
  readonly isMaxTurns: boolean;
  /** The run reached a limit in money, tokens or minutes. */
  readonly isMaxBudget: boolean;
  /** That limit. */
  readonly budget?: ReachedBudget | undefined;
  readonly usage: TokenUsage;
  /** The agent reports the tokens of the last model call of a turn alone; absent: of all calls. */
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

/** An absent kind was not reported. `reasoning` is part of `output`, `cacheWrite1h` of `cacheWrite`. */
export interface TokenUsage {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly cacheWrite1h?: number | undefined;
  readonly reasoning?: number | undefined;
  readonly webSearches?: number | undefined;
}

/** `id` joins a result to its call. */
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
  /** Newest first. */
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
  /** Resolves when all processes of the agent have ended; at once if none runs in this window. */
  stop(id: string): Promise<void>;
  /** A session started, changed or ended; for a running one, several times a second. */
  readonly onDidChange: Event<Session>;
}

/** The queue of this user's daemon: a run goes to the first runner (a window or `vitrine runner`) that meets its demands. */
export interface Queue {
  /** In order of arrival; of the runs that have ended, the newest 1,000. */
  runs(): Promise<readonly QueuedRun[]>;
  runners(): Promise<readonly Runner[]>;
  /**
   * Queues a run. Rejects if no runner can ever take it; fails after five minutes if none that can is online. Subject to the
   * same rules as `run`.
   */
  add(prompt: string, options?: QueueOptions): Promise<QueuedRun>;
  /** A waiting run is removed; one that runs is `stopping` until its agent has ended. */
  stop(runId: string): Promise<void>;
  /** A run was queued, taken, or has ended. Without its prompt. */
  readonly onDidChange: Event<Omit<QueuedRun, 'prompt' | 'waiting'>>;
}

/** As for `run`; `resume` takes the session (`ses_…`). */
export interface QueueOptions extends Pick<RunOptions, 'agent' | 'agentFile' | 'cwd' | 'resume' | 'model' | 'title'> {
  /** Besides the demands of the agent's file. */
  readonly demands?: Demands;
}

type Texts<K extends string> = { readonly [P in K]: string };
type OptionalTexts<K extends string> = { readonly [P in K]?: string | undefined };

/** What a runner must have: equal properties, and all tags. */
export interface Demands extends OptionalTexts<'hostname' | 'project_dir' | 'executor_type'> {
  readonly tags?: readonly string[];
}

type QueuedRunDetail = 'executor_type' | 'agent_name' | 'project_dir' | 'parent_session_id' | 'runner_id' | 'error';
type QueuedRunTime = 'claimed_at' | 'started_at' | 'completed_at' | 'timeout_at';
/** `timeout_at`: when it fails unless a runner can take it. `error`: why it failed. */
type QueuedRunDetails = OptionalTexts<QueuedRunDetail | QueuedRunTime>;

/** Its session exists while it waits. */
export interface QueuedRun extends QueuedRunDetails, Texts<'run_id' | 'session_id' | 'prompt' | 'created_at'> {
  readonly type: 'start_session' | 'resume_session';
  readonly status: 'pending' | 'claimed' | 'running' | 'stopping' | 'completed' | 'failed' | 'stopped';
  /** Why no runner has taken it; absent if one can now, or has. More kinds may be added. */
  readonly waiting?: { readonly kind: string } | undefined;
  readonly execution_mode: 'sync' | 'async_poll' | 'async_callback';
  readonly demands?: Demands | undefined;
}

type RunnerTexts = 'runner_id' | 'registered_at' | 'last_heartbeat' | 'hostname' | 'project_dir' | 'executor_type';

/** `limit`: runs at a time. `running`: runs that it has. */
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
  /** The first one, cut to 200 characters. */
  readonly prompt: string;
  readonly agent_label: string;
  readonly agent_version: string | null;
  /** The blueprint by which it was started. */
  readonly agent_name?: string | undefined;
  readonly executor_type?: ExecutorType | undefined;
  readonly executor_profile?: string | undefined;
  /** The agent's own ids of the conversation, oldest first. */
  readonly executor_session_ids: readonly string[];
  /** The newest of them. */
  readonly executor_session_id?: string | undefined;
  /** Between it and its parent. */
  readonly execution_mode: 'sync' | 'async_poll' | 'async_callback';
  /** Of the machine on which it was started. */
  readonly hostname?: string | undefined;
  readonly model: string | null;
  readonly project_dir?: string | undefined;
  readonly created_at: string;
  readonly last_resumed_at?: string | undefined;
  readonly updated_at: string;
  readonly runs: number;
  readonly entries: number;
  readonly turns: number | null;
  /** Of the last run. */
  readonly cost: Cost;
  readonly usage: TokenUsage;
  /** Of the whole session. */
  readonly total_cost: Cost;
  readonly total_usage: TokenUsage;
  /** A limit that is near, or paused it. */
  readonly budget?: { readonly reached?: ReachedBudget | undefined } | undefined;
  /** Played from a recording, without a live agent. */
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
  /** From 0 in the session, over all its runs. */
  readonly index: number;
  readonly timestamp: string;
  readonly type: EntryType;
  /** Markdown for people. Written by an agent: do not trust it. */
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
  /** Exactly as the agent printed it. */
  readonly input?: unknown;
  readonly status: 'created' | 'running' | 'success' | 'failed' | 'denied' | 'cancelled';
  readonly result?:
    { readonly text?: string | undefined; readonly data?: unknown; readonly isError?: boolean | undefined } | undefined;
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
}

/**
 * On every entry once anything is known; `undefined` before. `null`: this agent does not support the field. Other
 * keys are agent-specific.
 */
export interface NormalizedEntryMetadata extends SyntheticMetadata {
  /** The agent's id of the conversation, to resume it by. */
  readonly sessionId?: string | null | undefined;
  readonly model?: string | null | undefined;
  /** The call of the subagent that this belongs to; absent in the main conversation. */
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
  /** Absent on a callback, which a child session causes. */
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
  /** Of the source, or a snippet of it. */
  readonly description?: string | null | undefined;
}

/**
 * One step behind the text. The range is as for a citation; without it, the step covers the whole text.
 *
 * @example { kind: 'trajectory', tool_name: 'weather_api', tool_input: { location: 'Oslo' }, tool_output: { temperature: 7 } }
 */
export interface Trajectory {
  readonly kind: 'trajectory';
  /** What the agent thought or said before it. */
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

/** `normalizeOutput` reads chunks of its own tasks; rejects with a `VitrineError` for any others. */
export type AgentFileExecutor = Omit<AgentExecutor, 'type'>;

export type ExecutorClass = new (config?: ExecutorConfig) => AgentExecutor;

export interface ExecutorConfig extends TaskOptions {
  /** Absolute path of a folder of this workspace; default: the first one. */
  readonly workDir?: string;
}

/** A prompt, alone or with options for this task. */
export type Task = string | (ExecutorConfig & { readonly prompt: string });

/**
 * Starts one kind of agent and reads its output. The session is like any other: recorded, shown, and subject to trust
 * and budgets.
 */
export interface AgentExecutor {
  readonly type: ExecutorType;
  /** Starts a conversation. Rejects with a `VitrineError`. */
  executeTask(task: Task): Promise<SpawnedTask>;
  /** Resumes one: by its `ses_…`, or any id that the agent gave it (`metadata.sessionId` of an entry). */
  resumeTask(task: Task, sessionId: string): Promise<SpawnedTask>;
  /**
   * The transcript of a run from what it printed, as it comes: an entry is given when it begins, and again with the same
   * `index` each time it changes (more text, the result of a tool); the last one counts. First ones come in the order of
   * their `index`. If the id of the conversation is known at the start, the entry at index 0 begins with it at once.
   * Never throws because of the content of chunks.
   */
  normalizeOutput(
    chunks: AsyncIterable<Chunk>,
    workDir: string,
    options?: NormalizeOptions,
  ): AsyncGenerator<NormalizedEntry, void, undefined>;
}

export interface NormalizeOptions {
  /** Each entry only when it is complete, and once more for each later correction. Default false. */
  readonly settledOnly?: boolean;
}

export interface SpawnedTask {
  readonly process: TaskProcess;
  /** The session in Vitrine (`ses_…`). */
  readonly session: string;
  /** The agent's id of the conversation, where it is known already; else it is in the metadata of entries. */
  readonly sessionId: string | null;
}

export interface TaskProcess {
  /** Its output. */
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
