import type { AgentAdapter } from '../agents/adapter.ts';
import type { ObservedUse } from '../insight/budgets/spentOfLimit.ts';
import type { BlueprintAccess } from './blueprints/access.ts';
import type { ChildRuns } from './children/childRuns.ts';
import type { Presence } from './requests/countdown.ts';
import type { Disposable, Log, EngineSettings, Timing } from './api.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import type { CatalogueOwner } from './catalogue/refresh.ts';
import type { SessionSources } from './sources/sources.ts';

export interface EngineDeps {
  /** Folder of `sessions/` and `leases/`; created when needed. */
  readonly storeDir: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Monotonic milliseconds for durations, ideally without sleep. Default: `performance.now()`. */
  readonly monotonic?: () => number;
  /** Returns `digits` random lower-case hexadecimal digits. */
  readonly randomHex: (digits: number) => string;
  /** Base of the agents' environment, usually `process.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Current settings for sessions in a folder; without a folder, the global ones. */
  readonly settings: (folder?: string) => EngineSettings;
  readonly log: Log;
  /** Folder of the recordings for the demo. */
  readonly demoDir: string;
  readonly adapters: readonly AgentAdapter[];
  /** Copy the files of a session's folder at each prompt, so that they can be restored. Default: no. */
  readonly copyFiles?: boolean;
  /** Version of Vitrine, reported to agents that ask for the client. */
  readonly version?: string;
  readonly timing?: Timing;
  /** Whether programs may be started to ask for their version and login. Default: yes. */
  readonly mayAsk?: () => boolean;
  /** Whether a user is present: `Timing.requestMs` only counts then. Absent: always. */
  readonly presence?: Presence;
  /** Whether someone can answer and write during a run. Default false: requests are denied at once. */
  readonly interactive?: boolean;
  /** Agent files. With them, agents may start child sessions as their files permit; if absent, they may not. */
  readonly blueprints?: BlueprintAccess;
  /** The queue, which lists child sessions and finds runners for them. */
  readonly childRuns?: ChildRuns;
  /** Sessions from other programs, included in searches; if absent, none. */
  readonly sources?: SessionSources;
  /** Current usage of other programs' sessions, for daily budgets. Absent: not counted. */
  readonly observedUsage?: () => Promise<readonly ObservedUse[]>;
  /** Calls the listener when that usage changes. */
  readonly onObservedUsage?: (listener: () => void) => Disposable;
  /** Calls the listener when limits of budgets in `settings` may have changed. */
  readonly onLimitsChanged?: (listener: () => void) => Disposable;
  /** Catalogue of the store. Default: the engine opens its own connection. */
  readonly catalogue?: Catalogue;
  /** The process that updates the catalogue, including `sources`. Default: this one. */
  readonly catalogueOwner?: CatalogueOwner;
}
