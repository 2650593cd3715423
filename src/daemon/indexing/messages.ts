import { NotificationType, RequestType } from 'vscode-jsonrpc/node';
import type { ObservedHistory } from '../../engine/import/importObserved.ts';
import type { FollowedSession } from '../../engine/sources/foundSession.ts';
import type { PlacedFile, SessionFiles } from '../../engine/sources/groups.ts';
import type { SourcesChange } from '../../engine/sources/sources.ts';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import type { ObservedAgent } from '../../model/session/observed.ts';
import type { IndexUpdate, IndexProgress } from '../../protocol/daemon/catalogue.ts';

/** What the daemon and its indexing thread say to each other. Values are copied as `postMessage` copies them. */

/** Locations of agents' stores, as named by a client. */
export interface Place {
  readonly key: string;
  readonly home: string;
  readonly variables: Readonly<Record<string, string>>;
}

interface PlaceParams {
  readonly place: Place;
}

interface WatchParams extends PlaceParams {
  /** Ids of the sessions that the daemon lists already. */
  readonly known: readonly string[];
}

interface SessionParams extends PlaceParams {
  readonly id: string;
}

/** A session without what cannot be copied. */
export interface SentSession extends Omit<FollowedSession, 'files'> {
  /** Another one whenever the notes are others. */
  readonly noteNumber: number;
  readonly files: Pick<SessionFiles, 'session'> & {
    readonly agent: ObservedAgent;
    readonly files: readonly (Omit<PlacedFile, 'database'> & { readonly isDatabase: boolean })[];
  };
}

export const indexCalls = {
  /** Lists the newest sessions, and reports the others, and changes, until `unwatch`. */
  watch: new RequestType<WatchParams, readonly ObservedSummary[], void>('watch'),
  list: new RequestType<PlaceParams, readonly ObservedSummary[], void>('list'),
  find: new RequestType<SessionParams, SentSession | null, void>('find'),
  history: new RequestType<SessionParams, ObservedHistory | null, void>('history'),
  /** Brings the catalogue up to date. `sessions`: only these. */
  update: new RequestType<{ readonly sessions?: readonly string[] | undefined }, IndexUpdate, void>('update'),
} as const;

/** Notifications to the thread. */
export const indexCommands = {
  unwatch: new NotificationType<PlaceParams>('unwatch'),
  /** The user's prices, as written in the settings. */
  prices: new NotificationType<{ readonly written: unknown }>('prices'),
  /** Records of Vitrine have changed. */
  recordsChanged: new NotificationType<Record<string, never>>('recordsChanged'),
} as const;

/** Requests of the thread, which waits for the answer before the next one. */
export const indexReports = {
  changed: new RequestType<SourcesChange & { readonly key: string }, null, void>('changed'),
} as const;

/** Notifications from the thread. */
export const indexNotifications = {
  paths: new NotificationType<{ readonly key: string; readonly paths: ReadonlySet<string> }>('paths'),
  /** `progress`: `null` when everything is indexed. */
  progress: new NotificationType<{ readonly progress: IndexProgress | null }>('progress'),
  log: new NotificationType<{ readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly message: string }>('log'),
} as const;
