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
import type { Recalled } from './recall/types.ts';
import type { OtlpSettings } from './telemetry/otlpSettings.ts';

/** Shaped like a `vscode.Disposable`, which this layer cannot name. */
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
  /** Absolute path of the program; absent: it is looked for. */
  readonly program?: string;
  /** Variables added to the agent's environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Which of the agent's own ids a resume uses; default `newest`. */
  readonly resumeFrom?: ResumeFrom;
}
export type ResumeFrom = 'newest' | 'original';

/** One agent that speaks the Agent Client Protocol, by command line. */
export interface AcpProfile {
  /** Kept in the session, to find the agent again. */
  readonly id: string;
  readonly label: string;
  /** Absolute path, or names to look for on the PATH, best first. */
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
  /** Name of the agent there; absent: the only one, or the first. */
  readonly agent?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What limits runs in a folder; `folder` is the workspace's, whose own budget counts everything in it. */
export interface FolderBudgets {
  readonly limits: Budgets;
  readonly folder?: string;
  /** Whether daily budgets count sessions of other programs. Default: they do. */
  readonly observed?: boolean;
}

export interface EngineSettings {
  /** What agents inherit; absent: `EngineDeps.environment`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Absent: nothing is limited but by the request. */
  readonly budgets?: (folder: string) => FolderBudgets;
  /** Automatic follow-up messages. Absent: only agents and sessions that ask for them. */
  readonly followUps?: FollowUpSettings;
  /** Compare the folder before and after a run, for changes that no tool call reports. Default true. */
  readonly unreportedChanges?: boolean;
  readonly agents?: Readonly<Partial<Record<ExecutorType, AgentSettings>>>;
  /** Besides the presets. */
  readonly acp?: readonly AcpProfile[];
  readonly acpHttp?: readonly AcpHttpProfile[];
  /** The token for a server, kept apart from the settings; `undefined`: none. */
  readonly acpHttpToken?: (profileId: string) => Promise<string | undefined>;
  /** Speed of the demo: 1 as recorded, 2 twice as fast, 0 without waiting. Default 1. */
  readonly replaySpeed?: number;
  /** Absolute path of the SSH key that signs records at the end of each run; absent: none does. */
  readonly signingKey?: string;
  /** Price table of the user, which counts before the one that ships; as it was written. */
  readonly prices?: unknown;
  /** Where runs are reported to when they have ended; absent: nowhere. */
  readonly otlp?: OtlpSettings;
  /** Of runs in the folder, before `EngineDeps.timing`. */
  readonly timing?: Pick<Timing, 'politeGrace' | 'request'>;
}

/** Milliseconds; every one has a default. */
export interface Timing {
  /** After the polite signal, before SIGTERM. Default 5000. */
  readonly politeGrace?: number;
  /** After SIGTERM, before SIGKILL. Default 5000. */
  readonly termGrace?: number;
  /** Without output before a notice says so. Default 60000. */
  readonly silence?: number;
  /** Before a request that no one answered is denied; `Infinity`: it waits. Default 600000. */
  readonly request?: number;
  /** Without output, for an agent to end on its own once it was told that there is nothing more. Default 10000. */
  readonly close?: number;
  /** After a turn, for an agent to begin another on its own where it may. Measured: 30 ms. Default 2000. */
  readonly nextTurn?: number;
}

export interface StartRequest {
  readonly agent: ExecutorType;
  /** Which agent, where the executor has several: `AgentReport.profile`; for `replay` of a file what `outputProfile` gives. */
  readonly profile?: string;
  readonly prompt: string;
  /** Absolute path of an existing folder. */
  readonly cwd: string;
  readonly options?: AgentOptions;
  /** Default: the first line of the prompt, cut to 80 characters. */
  readonly title?: string;
  /** The blueprint by which it is started; kept in the session. */
  readonly blueprint?: RunBlueprint;
  /** Absent: it was not queued, and begins now. */
  readonly queued?: QueuedRun;
  /** Between it and its parent; default `sync`. */
  readonly executionMode?: Session['execution_mode'];
  /** Who caused the prompt; default: a person. Never taken from what someone says. */
  readonly origin?: Origin;
  /** The session that asked for this one; both count in the budget of their tree. */
  readonly parent?: string;
  /** Of this run, where they are lower than what the settings allow. */
  readonly limits?: Limits;
  /** What earlier sessions know, to be told before the prompt; the transcript says so. */
  readonly recall?: Recalled;
  /** Someone can answer requests while it runs; default: `EngineDeps.interactive`. */
  readonly interactive?: boolean;
}

/** A run that was queued: what is fixed before it begins. */
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

/** What a blueprint adds to every run of its sessions; the rest of it is in the options. */
export interface RunBlueprint {
  readonly name: string;
  /** Where the agent has no option for it, it stands before the first prompt of each conversation. */
  readonly systemPrompt?: string;
  /** It may start others, within these; absent: it may not. */
  readonly children?: ChildLimits;
}

export interface ChildLimits {
  /** Sessions that one session may start. */
  readonly children: number;
  /** How many may stand above a session that is started. */
  readonly depth: number;
}

/** Gives agents what they need to start others. */
export interface ChildServer {
  /** A run of a session begins, for which someone asked. Never rejects. */
  begins(session: Session, by: Origin): Promise<void>;
  /** Before a run that no person asked for. @throws EngineFailure where none has seen the session's agent as it is now */
  checkOwn(session: Session, agent: Agent | null): Promise<void>;
  /** For one run, until `over` is called for it. */
  open(session: Session, runId: string, limits: ChildLimits): Promise<McpServer>;
  over(sessionId: string, runId: string): void;
  /** Resumes accepted parents with what another process was to tell them; of a deleted parent its child is asked about. */
  recover(accepts: (session: SessionSummary) => boolean): Promise<void>;
  /** Before what is running of these is ended with the engine. Never rejects. */
  closing(sessions: readonly SessionSummary[]): Promise<void>;
  close(): Promise<void>;
}

export interface ResumeRequest {
  readonly prompt: string;
  /** No person wrote this: it begins only within the limits of follow-ups, with the prompt of its trigger. */
  readonly trigger?: PlannedTrigger;
  readonly options?: AgentOptions;
  /** Overrides the setting. */
  readonly from?: ResumeFrom;
  /** The blueprint of the session, as it is now. */
  readonly blueprint?: RunBlueprint;
  readonly queued?: QueuedRun;
  /** Between it and its parent from now on; default: as it was. */
  readonly executionMode?: Session['execution_mode'];
  readonly origin?: Origin;
  /** Why a callback was written. */
  readonly reason?: string;
  /** Of this run, where they are lower than what the settings allow. */
  readonly limits?: Limits;
  /** What earlier sessions know, to be told before the prompt; the transcript says so. */
  readonly recall?: Recalled;
  readonly interactive?: boolean;
}

/** `queue`: when the active turn has ended. `interrupt`: ends that turn first. */
export type SendMode = 'queue' | 'interrupt';

export interface QueuedMessage {
  readonly id: number;
  readonly text: string;
}

/** What can be changed of an active run. `''` and `default` leave it to the agent. */
export interface LiveOptions {
  readonly model?: string;
  readonly permissionMode?: string;
}

/** What can be said and answered in the active run. */
export interface Conversation {
  /** False where the agent takes nothing while it works. */
  readonly takesMessages: boolean;
  pending(): readonly AgentRequest[];
  queued(): readonly QueuedMessage[];
  /** Does nothing for a request that is no longer pending; says whether it was. */
  answer(requestId: string, answer: Answer, client?: Decision['client']): boolean;
  /** @throws EngineFailure where nothing can be said any more, or too much is queued */
  say(text: string, how: SendMode): void;
  /** Asks the agent to continue differently, and notes it. Gives what it can be asked; its answer is in the transcript. */
  change(options: LiveOptions): readonly (keyof LiveOptions)[];
  /** Takes back a queued message; its text, or `undefined` where it has been said. */
  unsend(id: number): string | undefined;
}

/** Something to tell while a run continues; the run itself is not ended by it. */
export interface Notice {
  readonly severity: 'info' | 'warning' | 'error';
  readonly failure: EngineFailure;
}

/** Over all runs. */
export interface SessionSizes {
  /** Of stdout and stderr. */
  readonly rawBytes: number;
  readonly unknownLines: number;
  readonly malformedLines: number;
}

/** What a session used, beyond what its summary says. Durations in milliseconds; `null` is unknown. */
export interface SessionLedger {
  /** Of the newest run, by model. */
  readonly models: readonly ModelUsage[] | null;
  /** Of the session so far, by model. */
  readonly totalModels: readonly ModelUsage[] | null;
  /** Of the newest run. */
  readonly runTurns: number | null;
  /** Over all runs, as the agent told. */
  readonly duration: number | null;
  readonly apiDuration: number | null;
}

/** What one message of the model used. */
export interface RunMessage extends MessageUsage {
  readonly runId: string;
}

/** Who writes a record. */
export interface RecordHolder {
  readonly pid: number;
  readonly hostname: string;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * A session, live or from disk. Handles of one session share everything; each is disposed by who opened it, which stops
 * nothing. Listeners are called once per chunk of output, not per line.
 */
export interface SessionHandle extends Disposable {
  readonly id: string;
  summary(): SessionSummary;
  turns(): readonly Turn[];
  /** Number of entries. */
  total(): number;
  /** Indexes of entries that more will come for. */
  open(): readonly number[];
  /** These entries as far as they have come, in index order. */
  unsettled(): readonly NormalizedEntry[];
  /** Entries with `from <= index < to`, in index order. */
  read(from: number, to: number): Promise<readonly NormalizedEntry[]>;
  /** Indexes of entries that answer a query (`insight/search`), from `from` (default 0) on, ascending. */
  find(
    query: string,
    limit: number,
    from?: number,
  ): Promise<{ readonly indexes: readonly number[]; readonly truncated: boolean }>;
  /** Whether a run continues in this engine. */
  live(): boolean;
  /** Settles when what was said and answered so far is in the record, where it survives a crash. */
  written(): Promise<void>;
  /** Of the active run here; `null` where none does, or it is no dialogue. */
  conversation(): Conversation | null;
  sizes(): SessionSizes;
  ledger(): Promise<SessionLedger>;
  /** In the order of the record; at most the newest 100,000. */
  messages(): Promise<readonly RunMessage[]>;
  /** SHA-256 of the last line of the record, which holds all lines before it; `null` where there is none. */
  head(): Promise<string | null>;
  /** Another process that writes the record now: `null` for no one, `unknown` where it does not say who it is. */
  otherWriter(): Promise<RecordHolder | 'unknown' | null>;
  /** Damage found in the record, one line each, for people. */
  problems(): readonly string[];
  /** Settles when the run has ended that continues here, or was the last here; `undefined` where none was. Never rejects. */
  readonly done: Promise<RunResult | undefined>;
  /** Absolute paths of the verbatim output. */
  rawPath(runId: string): { readonly stdout: string; readonly stderr: string };
  onUpdates(listener: (updates: readonly EntryUpdate[], total: number) => void): Disposable;
  onSummary(listener: (summary: SessionSummary) => void): Disposable;
  onNotice(listener: (notice: Notice) => void): Disposable;
  /** Called when `conversation()` has other requests or queued messages than before. */
  onConversation(listener: () => void): Disposable;
}

export interface AgentSessionsRequest extends Pick<StartRequest, 'agent' | 'profile' | 'cwd'> {
  /** Ends the agent and rejects. */
  readonly signal?: AbortSignal;
}

export interface FoundProgram {
  readonly path: string;
  readonly version: string | null;
  readonly tried: readonly string[];
}

/** What is known of one kind of agent on this machine, for lists and Doctor. */
export interface AgentReport {
  readonly type: ExecutorType;
  /** Which of several agents of this executor. */
  readonly profile?: string;
  readonly label: string;
  /** Played from a recording: needs no program. */
  readonly recording: boolean;
  /** What is played, and the prompts it answers, turn by turn. */
  readonly recorded?: { readonly title: string; readonly prompts: readonly string[] };
  readonly capabilities: Capabilities;
  readonly program: FoundProgram | EngineFailure | null;
  /** As the program says; absent where it was not asked, or does not tell. A provider of the user's own needs no login. */
  readonly signedIn?: boolean;
  /** Names of variables, never values. */
  readonly environment: { readonly removed: readonly string[]; readonly added: readonly string[] };
}

export interface SweepReport {
  /** Processes that a crash had left and that were ended. */
  readonly ended: readonly { readonly pid: number; readonly program: string }[];
  /** Sessions found interrupted and brought to an end. */
  readonly interrupted: readonly string[];
}

export type SummaryListener = (summary: SessionSummary) => void;
export type EventListener = (event: CoordinatorEvent) => void;
