import type { ObservedSummary } from '../../../insight/observed/summary.ts';
import type { PriceTable } from '../../../insight/prices/prices.ts';
import type { Disposable, Log } from '../../api.ts';
import type { ObservedHistory } from '../../import/importObserved.ts';
import type { FollowedSession } from '../foundSession.ts';
import type { SourcesChange } from '../sources.ts';
import { ObservedHandle } from './observedHandle.ts';

/** Sessions of other programs, updated while there are listeners. */
export interface ObservedFeed {
  /** Folders with stores. */
  folders(): readonly string[];
  /** Keeps the list up to date and reports changes until the result is disposed. */
  subscribe(listener: (change: SourcesChange) => void): Disposable;
  /** Reports changed paths without delay while there are listeners. */
  onPaths(listener: (paths: ReadonlySet<string>) => void): Disposable;
  /** Current list. */
  list(): Promise<readonly ObservedSummary[]>;
  /** What is needed to follow a session; `undefined` if the id is unknown. */
  find(id: string): Promise<FollowedSession | undefined>;
  /** Complete content for a record of the session; `undefined` if the id is unknown. */
  history(id: string): Promise<ObservedHistory | undefined>;
  dispose(): void;
}

export interface OpenObservedDeps {
  readonly prices: () => Promise<PriceTable>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

/** Follows a session; `undefined` if the id is unknown. */
export async function openObserved(
  feed: ObservedFeed,
  id: string,
  { prices, clock, log }: OpenObservedDeps,
): Promise<ObservedHandle | undefined> {
  const found = await feed.find(id);
  if (found === undefined) return undefined;
  return ObservedHandle.open(found, {
    find: () => feed.find(id),
    prices: await prices(),
    clock,
    log,
    onChange: (listener) => {
      const registrations = [
        feed.onPaths((paths) => listener.paths(paths)),
        feed.subscribe(({ changed, removed }) => {
          if (removed.includes(id) || changed.some((row) => row.session_id === id)) listener.found();
        }),
      ];
      return {
        dispose: () => {
          for (const registration of registrations) registration.dispose();
        },
      };
    },
  });
}
