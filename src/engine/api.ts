import type { AgentOptions } from '../agents/adapter.ts';
import type { FollowUpSettings } from '../insight/followUps/rules.ts';
import type { Agent } from '../model/agent/agent.ts';
import type { Budgets, Limits } from '../model/usage/budget.ts';
import type { Capabilities } from '../model/session/capabilities.ts';
import type { EntryUpdate, NormalizedEntry, Origin } from '../model/transcript/entry.ts';
import type { MessageUsage } from '../model/usage/facts.ts';
import type { PlannedTrigger } from '../model/agent/followUps.ts';
import type { CoordinatorEvent } from '../model/transcript/event.ts';
import type { McpServer } from '../model/agent/mcpServer.ts';
import type { AgentRequest, Answer, Decision } from '../model/agent/request.ts';
import type { RunResult } from '../model/session/result.ts';
import type { ExecutorType, Run, Session } from '../model/session/session.ts';
import type { SessionSummary } from '../model/session/summary.ts';
import type { Turn } from '../model/session/turn.ts';
import type { ModelUsage } from '../model/usage/usage.ts';
import type { EngineFailure } from './failures/failures.ts';
import type { RecallResult } from './recall/types.ts';
import type { OtlpSettings } from './telemetry/otlpSettings.ts';

/** Shaped like `vscode.Disposable`, which this layer must not import. */
export interface Disposable {
  dispose(): void;
}

export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Settings of one kind of agent. */
export interface AgentSettings {
  /** Absolute path of the program; if absent, Vitrine searches for it. */
  readonly program?: string;
  /** Variables added to the agent's environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Which of the agent's own ids a resume uses; default `newest`. */
  readonly resumeFrom?: ResumeFrom;
}
export type ResumeFrom = 'newest' | 'original';

/** One agent that speaks the Agent Client Protocol, by command line. */
export interface AcpProfile {
  /** Stored in the session, to find the agent again. */
  readonly id: string;
  readonly label: string;
  /** Absolute path, or names to search for on the PATH, best first. */
  readonly program?: string;
  readonly programs?: readonly string[];
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** One server that speaks the Agent Communication Protocol. */
export interface AcpHttpProfile {
  readonly id: string;
  readonly label: string;
  readonly baseUrl: string;
  /** Name of the agent on the server; default: the first one. */
  readonly agent?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Budgets for runs in a folder; `folder` is the workspace folder that the workspace budget counts. */
export interface FolderBudgets {
  readonly limits: Budgets;
  readonly folder?: string;
  /** Whether daily budgets count sessions from other programs. Default true. */
  readonly observed?: boolean;
}

export interface EngineSettings {
  /** Environment of agents; default: `EngineDeps.environment`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** If absent, only the request sets limits. */
  readonly budgets?: (folder: string) => FolderBudgets;
  /** Automatic follow-up messages. Absent: only agents and sessions that ask for them. */
  readonly followUps?: FollowUpSettings;
  /** Compare the folder before and after a run, for changes that no tool call reports. Default true. */
  readonly unreportedChanges?: boolean;
  readonly agents?: Readonly<Partial<Record<ExecutorType, AgentSettings>>>;
  /** Added to the presets. */
  readonly acp?: readonly AcpProfile[];
  readonly acpHttp?: readonly AcpHttpProfile[];
  /** The token of a server, stored outside the settings; `undefined`: none. */
  readonly acpHttpToken?: (profileId: string) => Promise<string | undefined>;
  /** Speed of the demo: 1 as recorded, 2 twice as fast, 0 without waiting. Default 1. */
  readonly replaySpeed?: number;
  /** Absolute path of the SSH key that signs records at the end of each run; if absent, records are not signed. */
  readonly signingKey?: string;
  /** The user's price table, unparsed. It overrides the built-in one. */
  readonly prices?: unknown;
  /** Where to report ended runs; if absent, Vitrine reports none. */
  readonly otlp?: OtlpSettings;
  /** Overrides `EngineDeps.timing` for runs in the folder. */
  readonly timing?: Pick<Timing, 'politeGraceMs' | 'requestMs'>;
}

/** Every one has a default. */
export interface Timing {
  /** After the polite signal, before SIGTERM. Default 5000. */
  readonly politeGraceMs?: number;
  /** After SIGTERM, before SIGKILL. Default 5000. */
  readonly termGraceMs?: number;
  /** Time without output until a notice appears. Default 60000. */
  readonly silenceMs?: number;
  /** Time until an unanswered request is denied; `Infinity`: never. Default 600000. */
  readonly requestMs?: number;
  /** Time without output for an agent to exit after its input was closed. Default 10000. */
  readonly closeMs?: number;
  /** Grace period after a turn; some agents start another turn automatically. Measured: 30 ms. Default 2000. */
  readonly nextTurnMs?: number;
}

export interface StartRequest {
  readonly agent: ExecutorType;
  /** The agent, if the executor has several: `AgentReport.profile`; for `replay` of a file the value of `outputProfile`. */
  readonly profile?: string;
  readonly prompt: string;
  /** Absolute path of an existing folder. */
  readonly cwd: string;
  readonly options?: AgentOptions;
  /** Default: the first line of the prompt, cut to 80 characters. */
  readonly title?: string;
  /** Blueprint that the session is started from and stores. */
  readonly blueprint?: RunBlueprint;
  /** If absent, the run was not queued and starts now. */
  readonly queued?: QueuedRun;
  /** How the parent gets the result; default `sync`. */
  readonly executionMode?: Session['execution_mode'];
  /** Who caused the prompt; default: a person. Never derived from text. */
  readonly origin?: Origin;
  /** Parent session; both count in the budget of their tree. */
  readonly parent?: string;
  /** Limits of this run; the lower of these and the settings apply. */
  readonly limits?: Limits;
  /** The race that the session is part of. Its limits count all sessions of the race together, with their child sessions. */
  readonly race?: { readonly id: string; readonly limits?: Limits };
  /** Context from earlier sessions, added before the prompt and noted in the transcript. */
  readonly recall?: RecallResult;
  /** Whether someone can answer requests during the run; default: `EngineDeps.interactive`. */
  readonly interactive?: boolean;
}

/** Properties of a queued run that are fixed when it is queued. */
export type QueuedRun = Pick<
  Run,
  | 'run_id'
  | 'session_id'
  | 'created_at'
  | 'execution_mode'
  | 'parent_session_id'
  | 'demands'
  | 'timeout_at'
  | 'runner_id'
>;

/** What a blueprint adds to every run of its sessions, besides options. */
export interface RunBlueprint {
  readonly name: string;
  /** If the agent has no option for it, Vitrine puts it before the first prompt of each conversation. */
  readonly systemPrompt?: string;
  /** Limits for starting child sessions; if absent, the agent may not start any. */
  readonly children?: ChildLimits;
  /** Every prompt gets passages from earlier sessions of the folder. Absent: only a request that has some. */
  readonly recall?: 'always';
}

export interface ChildLimits {
  /** How many sessions one session may start. */
  readonly children: number;
  /** How many ancestors a started session may have. */
  readonly depth: number;
}

/** Provides agents with the MCP server for starting child sessions. */
export interface ChildServer {
  /** Call when a requested run of a session starts. Never rejects. */
  rememberListedAgents(session: Session, by: Origin): Promise<void>;
  /** Call before an automatic run. @throws EngineFailure if the session's agent file changed since the user last saw it */
  checkOwn(session: Session, agent: Agent | null): Promise<void>;
  /** Valid for one run, until `endRun` is called. */
  open(session: Session, runId: string, limits: ChildLimits): Promise<McpServer>;
  endRun(sessionId: string, runId: string): void;
  /**
   * Call before a queued child session starts. `hash`: of the agent's file on the machine of the parent, if that is another
   * one. @throws EngineFailure if the file changed since the user last saw it, or is another one
   */
  assertPermitted(parentId: string, agent: Agent, hash?: string): Promise<void>;
  /** A queued session is to report its result to its parent. */
  expectCallback(callback: { readonly parent: string; readonly child: string }): Promise<void>;
  /** Such a session has ended, whether it ran or not. */
  handleChildEnded(parent: string): void;
  /**
   * Sends other processes' pending callbacks to parents that `accepts` selects; for a deleted parent, it gets the
   * child.
   */
  recover(accepts: (session: SessionSummary) => boolean): Promise<void>;
  /** Call before the engine stops running children. Never rejects. */
  prepareClose(sessions: readonly SessionSummary[]): Promise<void>;
  close(): Promise<void>;
}

export interface ResumeRequest {
  readonly prompt: string;
  /** An automatic message: it starts only within the limits of follow-ups, with the prompt of its trigger. */
  readonly trigger?: PlannedTrigger;
  readonly options?: AgentOptions;
  /** Overrides the setting. */
  readonly from?: ResumeFrom;
  /** Current version of the session's blueprint. */
  readonly blueprint?: RunBlueprint;
  readonly queued?: QueuedRun;
  /** How the parent gets results from now on; default: unchanged. */
  readonly executionMode?: Session['execution_mode'];
  readonly origin?: Origin;
  /** Reason of a callback. */
  readonly reason?: string;
  /** Limits of this run; the lower of these and the settings apply. */
  readonly limits?: Limits;
  /** Context from earlier sessions, added before the prompt and noted in the transcript. */
  readonly recall?: RecallResult;
  readonly interactive?: boolean;
}

/** `queue`: when the active turn has ended. `interrupt`: ends that turn first. */
export type SendMode = 'queue' | 'interrupt';

export interface QueuedMessage {
  readonly id: number;
  readonly text: string;
}

/** Settings that can change during a run. `''` and `default` leave them to the agent. */
export interface LiveOptions {
  readonly model?: string;
  readonly permissionMode?: string;
}

/** Messages and requests of the active run. */
export interface Conversation {
  /** False if the agent accepts no messages during a run. */
  readonly takesMessages: boolean;
  pendingRequests(): readonly AgentRequest[];
  queuedMessages(): readonly QueuedMessage[];
  /** Returns whether the request was still pending; otherwise does nothing. */
  answer(requestId: string, answer: Answer, client?: Decision['client']): boolean;
  /** @throws EngineFailure if the run accepts no more messages, or too many are queued */
  sendMessage(text: string, how: SendMode): void;
  /** Asks the agent to change these settings and adds a note. Returns the supported ones; the transcript has the agent's answer. */
  changeOptions(options: LiveOptions): readonly (keyof LiveOptions)[];
  /** Unsends a queued message. Returns its text, or `undefined` if it was already sent. */
  unsend(id: number): string | undefined;
}

/** A notice during a run; it does not end the run. */
export interface Notice {
  readonly severity: 'info' | 'warning' | 'error';
  readonly failure: EngineFailure;
}

/** Sizes over all runs. */
export interface SessionSizes {
  /** Bytes of stdout and stderr. */
  readonly rawBytes: number;
  readonly unknownLines: number;
  readonly malformedLines: number;
}

/** Usage of a session, beyond its summary. Durations in milliseconds; `null` is unknown. */
export interface SessionLedger {
  /** Newest run, by model. */
  readonly models: readonly ModelUsage[] | null;
  /** Whole session, by model. */
  readonly totalModels: readonly ModelUsage[] | null;
  /** Newest run. */
  readonly runTurns: number | null;
  /** Over all runs, as reported by the agent. */
  readonly duration: number | null;
  readonly apiDuration: number | null;
  /** Set if the token counts of a run cover only the last model call of each turn. */
  readonly tokensOf?: 'last_call' | undefined;
}

/** Usage of one model response. */
export interface RunMessage extends MessageUsage {
  readonly runId: string;
}

/**
 * A session that is running or stored. All handles of a session share its state. Dispose every handle that you open;
 * that does not stop the run. Listeners are called once per chunk of output.
 */
export interface SessionHandle extends Disposable {
  readonly id: string;
  summary(): SessionSummary;
  turns(): readonly Turn[];
  /** Number of entries. */
  entryCount(): number;
  /** Indexes of entries that are still growing. */
  openIndexes(): readonly number[];
  /** Current state of these entries, in index order. */
  openEntries(): readonly NormalizedEntry[];
  /** Entries with `from <= index < to`, in index order. */
  read(from: number, to: number): Promise<readonly NormalizedEntry[]>;
  /** Indexes of entries that match a query (`insight/search`), ascending, starting at `from` (default 0). */
  find(
    query: string,
    limit: number,
    from?: number,
  ): Promise<{ readonly indexes: readonly number[]; readonly truncated: boolean }>;
  /** Whether the session has an active run in this engine. */
  isLive(): boolean;
  /** Version of Vitrine whose daemon has the active run, if that is another daemon. */
  otherVersion?(): string | undefined;
  /** Settles when all messages and answers so far are durable in the record. */
  whenWritten(): Promise<void>;
  /** Conversation of the active run; `null` if this process has no active run or the run is not interactive. */
  conversation(): Conversation | null;
  sizes(): SessionSizes;
  ledger(): Promise<SessionLedger>;
  /** In record order; at most the newest 100,000. */
  messages(): Promise<readonly RunMessage[]>;
  /** SHA-256 of the last line of the record, which covers all earlier lines; `null` for an empty record. */
  headHash(): Promise<string | null>;
  /** Damage found in the record, as one readable line each. */
  problems(): readonly string[];
  /** Settles with the result of the current or last run in this process; `undefined` if there was none. Never rejects. */
  readonly done: Promise<RunResult | undefined>;
  /** Absolute paths of the unmodified output. */
  rawPath(runId: string): { readonly stdout: string; readonly stderr: string };
  onUpdates(listener: (updates: readonly EntryUpdate[], total: number) => void): Disposable;
  onSummary(listener: (summary: SessionSummary) => void): Disposable;
  onNotice(listener: (notice: Notice) => void): Disposable;
  /** Called when requests or queued messages of `conversation()` change. */
  onConversation(listener: () => void): Disposable;
}

export interface AgentSessionsRequest extends Pick<StartRequest, 'agent' | 'profile' | 'cwd'> {
  /** Aborting ends the agent and rejects. */
  readonly signal?: AbortSignal;
}

export interface FoundProgram {
  readonly path: string;
  readonly version: string | null;
  readonly tried: readonly string[];
}

/** Information about one kind of agent on this machine, for lists and Doctor. */
export interface AgentReport {
  readonly type: ExecutorType;
  /** Profile, if the executor has several agents. */
  readonly profile?: string;
  /** The executor that runs the same agent by its own protocol; absent for agents from the settings. */
  readonly sameAs?: ExecutorType;
  readonly label: string;
  /** Plays a recording and needs no program. */
  readonly recording: boolean;
  /** The recording's title and the prompt of each turn. */
  readonly recorded?: { readonly title: string; readonly prompts: readonly string[] };
  readonly capabilities: Capabilities;
  readonly program: FoundProgram | EngineFailure | null;
  /** As reported by the program; absent if it was not asked or does not report it. The user's own provider needs no login. */
  readonly signedIn?: boolean;
  /** Names of variables, never values. */
  readonly environment: { readonly removed: readonly string[]; readonly added: readonly string[] };
}

export interface SweepReport {
  /** Leftover processes of a crash that were stopped. */
  readonly ended: readonly { readonly pid: number; readonly program: string }[];
  /** Interrupted sessions whose records were completed. */
  readonly interrupted: readonly string[];
}

export type SummaryListener = (summary: SessionSummary) => void;
export type EventListener = (event: CoordinatorEvent) => void;
