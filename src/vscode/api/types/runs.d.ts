/** Options and results of runs. Part of the API of Vitrine for other extensions; see `vitrine.d.ts`. */
import type { CancellationToken } from 'vscode';

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
