import type { QuerySource, MessageSource } from '../../insight/recall/querySource.ts';
import type { SearchedSession, SearchRequest } from '../search/types.ts';

export interface RecallRequest extends Pick<SearchRequest, 'signal' | 'onProgress'> {
  /** The active session; absent: one that is about to begin. */
  readonly session?: string;
  /** What is said now; `newest`: what the session was told last. Absent: nothing yet. */
  readonly message?: MessageSource | 'newest';
  /** Sessions whose text may be used. */
  readonly within: (session: SearchedSession) => boolean;
}

/** Text of an earlier session, with secrets masked. Foreign: it may say anything. */
export interface RecalledPassage {
  readonly sessionId: string;
  /** Of the session. */
  readonly title: string;
  /** Index of the entry. */
  readonly entry: number;
  /** ISO 8601. */
  readonly at: string;
  readonly by: 'user' | 'agent';
  readonly text: string;
  /** Something stood before or after it. */
  readonly cut: boolean;
}

/** Context from earlier sessions. */
export interface Recalled {
  /** `null`: there was nothing to search by. */
  readonly source: QuerySource | null;
  /** The beginning of what was searched by, with secrets masked. */
  readonly query: string;
  /** Best first. */
  readonly passages: readonly RecalledPassage[];
  /** Numbers of sessions that were searched, and that `within` excluded. */
  readonly sessions: number;
  readonly elsewhere: number;
}
