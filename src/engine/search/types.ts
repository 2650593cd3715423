import type { Excerpt } from '../../insight/search/excerpt.ts';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import type { EntryType, NormalizedEntry, Origin } from '../../model/transcript/entry.ts';
import type { QueryKind, QueryProblem } from '../../model/transcript/query.ts';
import type { SessionSummary } from '../../model/session/summary.ts';

/** One of Vitrine's own, or one that another program has started. */
export type SearchedSession = SessionSummary | ObservedSummary;

export function isObserved(session: SearchedSession): session is ObservedSummary {
  return 'source' in session;
}

export interface SearchRequest {
  /** As it was typed; the language is that of `insight/search/query.ts`. */
  readonly query: string;
  /** Which sessions; default all. */
  readonly within?: ((session: SearchedSession) => boolean) | undefined;
  /** Follow-ups and callbacks too; default false. */
  readonly synthetic?: boolean;
  /** Default 50; the best. */
  readonly mostSessions?: number;
  /** Per session, the best; default 20, and 3 where 100 are found in better sessions. */
  readonly mostHits?: number;
  readonly signal?: AbortSignal | undefined;
  /** Sessions that were looked at while the catalogue is brought up to date, of those that have changed. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
}

/** An entry that answers a query. */
export interface SearchHit {
  readonly sessionId: string;
  /** Index of the entry. */
  readonly entry: number;
  readonly kind: EntryType['kind'];
  /** Name of the tool, where it is a call. */
  readonly tool: string | null;
  /** Who wrote it, where it is an automatic message. */
  readonly origin?: Origin;
  /** ISO 8601. */
  readonly at: string;
  /** Higher is better; to be compared within one answer only. 0 where nothing but operators was asked for. */
  readonly score: number;
  readonly excerpt: Excerpt;
}

export interface SessionHits {
  readonly session: SearchedSession;
  /** In the order of the session. */
  readonly hits: readonly SearchHit[];
  /** Entries that answer, those left off included. */
  readonly count: number;
  /** `count` may be too high: not every entry was read to see whether its words stand together. */
  readonly unsure: boolean;
}

/** What is about the same as a text. */
export interface SimilarRequest extends Pick<SearchRequest, 'within' | 'signal' | 'onProgress'> {
  /** In small letters. */
  readonly words: readonly string[];
  /** How many of the words an entry has to hold. */
  readonly atLeast: number;
  readonly kinds: readonly QueryKind[];
  /** The best. */
  readonly most: number;
}

export interface SimilarEntry {
  readonly session: SearchedSession;
  readonly entry: NormalizedEntry;
  /** As in a hit. */
  readonly score: number;
}

export interface SimilarPassages {
  /** Best first. */
  readonly entries: readonly SimilarEntry[];
  /** Automatic messages: how many, and the best of them. */
  readonly leftOut: { readonly count: number; readonly entries: readonly SimilarEntry[] };
  readonly scanned: SearchCoverage;
}

/** What an answer rests on. */
export interface SearchCoverage {
  readonly sessions: number;
  readonly entries: number;
  /** Entries of which only the beginning can be found, because they are too long. */
  readonly cut: number;
  /** Sessions of which parts are damaged, and those that could not be read at all. */
  readonly damaged: readonly string[];
  readonly unreadable: readonly { readonly id: string; readonly reason: string }[];
  /** Left out by `within`. */
  readonly elsewhere: number;
}

export interface SearchAnswer {
  /** Best first. */
  readonly sessions: readonly SessionHits[];
  /** Further sessions with hits. */
  readonly moreSessions: number;
  /** Messages that answer and are left out, because no person wrote them. */
  readonly leftOut: number;
  readonly problems: readonly QueryProblem[];
  readonly scanned: SearchCoverage;
}
