import type { TokenUsage } from '../usage/usage.ts';

/** Agents whose own stores Vitrine reads: those that it can start, and some that it can only watch. */
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

/** Something that is counted once, however many files repeat it. `key` is unique within one agent. */
export interface Counted {
  readonly key: string;
  /** ISO 8601; `null` where the record has no time. */
  readonly at: string | null;
  /** Native id of the session that it belongs to, where the record says that it was copied from another one. */
  readonly owner?: string;
}

/** One request to a model that the store has figures for. `usage` in Vitrine's terms: `input` without the cache. */
export interface StoreRequest extends Counted {
  readonly model: string | null;
  readonly usage: TokenUsage;
  /** Terms other than the standard ones, by the names that price tables use. */
  readonly terms?: readonly string[];
  /** US dollars of this request, where the store has them. */
  readonly usd?: number;
}

/** The agent's own figure for a session. */
export interface StoreCost {
  readonly usd: number;
  /** Tokens that it covers, where the store says so; subagents included. By model. */
  readonly models: readonly (TokenUsage & { readonly model: string })[];
  /** Keys of requests that the store recorded after the figure. */
  readonly later: readonly string[];
}

/** What the last record says about the conversation, before anybody looks for a process. */
export type LastRecord =
  /** Nothing was asked yet. */
  | 'empty'
  /** The model is answering, or the agent died while it did. */
  | 'answering'
  /** A tool runs; in most stores it may also be waiting for permission. */
  | 'tool'
  /** The store says that a permission is pending. */
  | 'permission'
  /** The store says that the agent asked the person something. */
  | 'question'
  /** The turn has ended; the person is next. */
  | 'answered'
  /** The person stopped the turn, or it failed. */
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
  /** Working directories in the order in which they were used, each once; the last one is the newest. */
  readonly folders: readonly string[];
  readonly branch: string | null;
  readonly title: string | null;
  /** First message of a person, whole. */
  readonly firstPrompt: string | null;
  readonly startedAt: string | null;
  readonly lastActivityAt: string | null;
  readonly agentVersion: string | null;
  /** Models that answered, in order, each once. */
  readonly models: readonly string[];
  readonly entryPoint: EntryPoint | null;
  /** Messages that a person wrote, copied ones included: whoever lists sessions counts each key once. */
  readonly prompts: readonly Counted[];
  /** Calls of tools, those of subagents included. */
  readonly toolCalls: readonly Counted[];
  readonly requests: readonly StoreRequest[];
  readonly cost: StoreCost | null;
  /** Why the sum of `requests` is less than what was billed: sentences. Empty: nothing is known to be missing. */
  readonly missing: readonly string[];
  readonly last: { readonly state: LastRecord; readonly at: string | null };
  /** Records that were read, and those among them that are unknown, damaged or too long. */
  readonly records: { readonly total: number; readonly unknown: number; readonly malformed: number };
}
