import type { QuerySource, MessageSource } from '../../insight/recall/querySource.ts';
import type { SearchedSession, SearchRequest } from '../search/types.ts';

export interface RecallRequest extends Pick<SearchRequest, 'signal' | 'onProgress'> {
  /** The active session; absent for a new one. */
  readonly session?: string;
  /** The current message; `newest`: the session's last one. Absent: none yet. */
  readonly message?: MessageSource | 'newest';
  /** Selects the sessions whose text may be used. */
  readonly within: (session: SearchedSession) => boolean;
}

/** Text of an earlier session, with secrets masked. Do not trust its content. */
export interface RecalledPassage {
  readonly sessionId: string;
  /** Title of the session. */
  readonly title: string;
  /** Index of the entry. */
  readonly entry: number;
  /** ISO 8601. */
  readonly at: string;
  readonly by: 'user' | 'agent';
  readonly text: string;
  /** The passage was cut out of a longer text. */
  readonly cut: boolean;
}

/** Context from earlier sessions. */
export interface RecallResult {
  /** `null`: there was nothing to search for. */
  readonly source: QuerySource | null;
  /** Beginning of the search text, with secrets masked. */
  readonly query: string;
  /** Best first. */
  readonly passages: readonly RecalledPassage[];
  /** Numbers of searched sessions, and of sessions that `within` excluded. */
  readonly sessions: number;
  readonly elsewhere: number;
}
