import type { ObservedSummary } from '../../../insight/observed/summary.ts';
import type { PriceTable } from '../../../insight/prices/prices.ts';
import type { Disposable, Log } from '../../api.ts';
import type { ObservedHistory } from '../../import/importObserved.ts';
import type { FollowedSession } from '../foundSession.ts';
import type { SourcesChange } from '../sources.ts';
import { ObservedHandle } from './observedHandle.ts';

/** The sessions of other programs in one place, kept up to date while someone looks at them. */
export interface ObservedFeed {
  /** Where sessions are looked for. */
  folders(): readonly string[];
  /** Keeps the list up to date, and tells of changes, until what it gives is disposed. */
  look(listener: (change: SourcesChange) => void): Disposable;
  /** Gets the paths that changed, as soon as the system tells, while someone looks. */
  onPaths(listener: (paths: ReadonlySet<string>) => void): Disposable;
  /** As it is now. */
  list(): Promise<readonly ObservedSummary[]>;
  /** What is needed to follow a session; `undefined` where there is none of that id. */
  find(id: string): Promise<FollowedSession | undefined>;
  /** Everything that a record of the session holds; `undefined` where there is none of that id. */
  history(id: string): Promise<ObservedHistory | undefined>;
  dispose(): void;
}

export interface OpenObservedDeps {
  readonly prices: () => Promise<PriceTable>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

/** Follows a session; `undefined` where there is none of that id. */
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
        feed.look(({ changed, removed }) => {
          if (removed.includes(id) || changed.some((row) => row.session_id === id)) listener.found();
        }),
      ];
      return {
        dispose: () => {
          for (const each of registrations) each.dispose();
        },
      };
    },
  });
}
