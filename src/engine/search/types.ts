import type { Excerpt } from '../../insight/search/excerpt.ts';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import type { EntryType, NormalizedEntry, Origin } from '../../model/transcript/entry.ts';
import type { QueryKind, QueryProblem } from '../../model/transcript/query.ts';
import type { SessionSummary } from '../../model/session/summary.ts';

/** A session of Vitrine or of another program. */
export type SearchedSession = SessionSummary | ObservedSummary;

export function isObserved(session: SearchedSession): session is ObservedSummary {
  return 'source' in session;
}

export interface SearchRequest {
  /** As typed by the user; see `insight/search/query.ts` for the syntax. */
  readonly query: string;
  /** Selects sessions; default all. */
  readonly within?: ((session: SearchedSession) => boolean) | undefined;
  /** Includes follow-ups and callbacks; default false. */
  readonly synthetic?: boolean;
  /** Maximum number of sessions; default 50. */
  readonly mostSessions?: number;
  /** Maximum number of hits per session; default 10, but 1 after the first 50 hits. */
  readonly mostHits?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called during indexing with the numbers of processed and changed sessions. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
}

/** An entry that matches a query. */
export interface SearchHit {
  readonly sessionId: string;
  /** Index of the entry. */
  readonly entry: number;
  readonly kind: EntryType['kind'];
  /** Tool name, for tool calls. */
  readonly tool: string | null;
  /** Author of an automatic message. */
  readonly origin?: Origin;
  /** ISO 8601. */
  readonly at: string;
  /** Higher is better; comparable within one answer only. 0 for queries that consist of operators. */
  readonly score: number;
  readonly excerpt: Excerpt;
}

export interface SessionHits {
  readonly session: SearchedSession;
  /** Hits in session order. */
  readonly hits: readonly SearchHit[];
  /** Number of matches, including those beyond the limit. */
  readonly count: number;
  /** `count` may be too high, because not every phrase was checked. */
  readonly unsure: boolean;
}

/** Search for passages similar to a text. */
export interface SimilarRequest extends Pick<SearchRequest, 'within' | 'signal' | 'onProgress'> {
  /** Lower case. */
  readonly words: readonly string[];
  /** Minimum number of words that an entry must contain. */
  readonly atLeast: number;
  readonly kinds: readonly QueryKind[];
  /** Maximum number of results. */
  readonly most: number;
}

export interface SimilarEntry {
  readonly session: SearchedSession;
  readonly entry: NormalizedEntry;
  /** As in `SearchHit`. */
  readonly score: number;
}

export interface SimilarPassages {
  /** Best first. */
  readonly entries: readonly SimilarEntry[];
  /** Number of excluded automatic messages, and the best of them. */
  readonly leftOut: { readonly count: number; readonly entries: readonly SimilarEntry[] };
  readonly scanned: SearchCoverage;
}

/** How complete an answer is. */
export interface SearchCoverage {
  readonly sessions: number;
  readonly entries: number;
  /** Number of oversized entries, of which only the beginning is searchable. */
  readonly cut: number;
  /** Damaged sessions, and unreadable ones. */
  readonly damaged: readonly string[];
  readonly unreadable: readonly { readonly id: string; readonly reason: string }[];
  /** Number of sessions that `within` excluded. */
  readonly elsewhere: number;
  /** Only the newest sessions of the team were searched. */
  readonly omitsOlderShared?: true;
}

export interface SearchAnswer {
  /** Best first. */
  readonly sessions: readonly SessionHits[];
  /** Number of further sessions with matches. */
  readonly moreSessions: number;
  /** Number of excluded automatic messages that match. */
  readonly leftOut: number;
  readonly problems: readonly QueryProblem[];
  readonly scanned: SearchCoverage;
}
