import type { TokenUsage } from '../usage/usage.ts';

/** Agents whose stores Vitrine reads: those that it can start, and others that it can only watch. */
export const observedAgents = [
  'claude-code',
  'codex',
  'copilot',
  'gemini',
  'cursor',
  'qwen',
  'opencode',
  'vscode-chat',
  'cline',
  'roo-code',
  'kilo-code',
  'pi',
] as const;
export type ObservedAgent = (typeof observedAgents)[number];

/** Counted once, however many files repeat it. `key` is unique within one agent. */
export interface CountedUsage {
  readonly key: string;
  /** ISO 8601; `null` if the record has no time. */
  readonly at: string | null;
  /** Native id of the session that it was copied from, if the record names one. */
  readonly owner?: string;
}

/** Something that a person wrote. */
export interface StorePrompt extends CountedUsage {
  /** Key of the first request after it. Old versions copy a conversation under new ids, except those of requests. */
  readonly answer?: string;
}

/** One request to a model with figures in the store. `usage` in Vitrine's terms: `input` excludes the cache. */
export interface StoreRequest extends CountedUsage {
  readonly model: string | null;
  readonly usage: TokenUsage;
  /** Non-standard terms, by their names in price tables. */
  readonly terms?: readonly string[];
  /** US dollars of this request, if stored. */
  readonly usd?: number;
}

/** The agent's own figure for a session. */
export interface StoreCost {
  readonly usd: number;
  /** Tokens that the figure covers, by model, including subagents; only if the store says so. */
  readonly models: readonly (TokenUsage & { readonly model: string })[];
  /** Keys of requests that were stored after the figure. */
  readonly later: readonly string[];
}

/** State of the conversation in its last record, before processes are checked. */
export type LastRecord =
  /** No requests yet. */
  | 'empty'
  /** The model is answering, or the agent died while it did. */
  | 'answering'
  /** A tool runs; in most stores it may also be waiting for permission. */
  | 'tool'
  /** The store says that a permission is pending. */
  | 'permission'
  /** The store says that the agent asked the user something. */
  | 'question'
  /** The turn has ended; it is the user's turn. */
  | 'answered'
  /** The user stopped the turn, or it failed. */
  | 'interrupted'
  /** The store says that the session was closed. */
  | 'ended';

/** Who started the agent: a person in a terminal, a program (`-p`, `exec`, an SDK), or an editor's chat. */
export type EntryPoint = 'terminal' | 'sdk' | 'chat';

/** What a store says about one session. Times are ISO 8601. */
export interface StoreFacts {
  /** Ids that the agent gave the conversation, oldest first; the last one resumes it. */
  readonly nativeIds: readonly string[];
  /** The session that this one was forked from, or that started it. */
  readonly parent: { readonly id: string; readonly kind: 'fork' | 'subagent' } | null;
  /** Working directories in order of first use; the last one is the newest. */
  readonly folders: readonly string[];
  readonly branch: string | null;
  readonly title: string | null;
  /** First message of a person, complete. */
  readonly firstPrompt: string | null;
  readonly startedAt: string | null;
  readonly lastActivityAt: string | null;
  readonly agentVersion: string | null;
  /** Models that answered, in order, each once. */
  readonly models: readonly string[];
  readonly entryPoint: EntryPoint | null;
  /** Messages that a person wrote, including copied ones: lists count each key once. */
  readonly prompts: readonly StorePrompt[];
  /** Tool calls, including those of subagents. */
  readonly toolCalls: readonly CountedUsage[];
  readonly requests: readonly StoreRequest[];
  readonly cost: StoreCost | null;
  /** Sentences that say why less than the billed usage is in `requests`. Empty: nothing is known to be missing. */
  readonly missing: readonly string[];
  readonly last: { readonly state: LastRecord; readonly at: string | null };
  /** Number of records, and of those that are unknown, damaged or too long. */
  readonly records: { readonly total: number; readonly unknown: number; readonly malformed: number };
}
