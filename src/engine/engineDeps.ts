import type { AgentAdapter } from '../agents/adapter.ts';
import type { ObservedUse } from '../insight/budgets/spentOfLimit.ts';
import type { BlueprintAccess } from './blueprints/access.ts';
import type { Presence } from './requests/countdown.ts';
import type { Log, EngineSettings, Timing } from './api.ts';
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
  /** `digits` hexadecimal digits, lower case, random. */
  readonly randomHex: (digits: number) => string;
  /** Base of the agents' environment, usually `process.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** As they are now, for sessions in a folder; without one, those that hold everywhere. */
  readonly settings: (folder?: string) => EngineSettings;
  readonly log: Log;
  /** Folder of the recordings that the demo plays. */
  readonly demoDir: string;
  readonly adapters: readonly AgentAdapter[];
  /** Version of Vitrine, for agents that ask for the client. */
  readonly version?: string;
  readonly timing?: Timing;
  /** Whether programs may be asked for their version and login, which starts them. Default: they may. */
  readonly mayAsk?: () => boolean;
  /** Whether a person could answer now: `Timing.request` counts only then. Absent: always. */
  readonly presence?: Presence;
  /** Whether someone can answer and write during a run. Default false: requests are denied at once. */
  readonly interactive?: boolean;
  /** Agent files. With them, agents may start others as their files permit; if absent, they may not. */
  readonly blueprints?: BlueprintAccess;
  /** Sessions of other programs, to search with Vitrine's own; if absent, none. */
  readonly sources?: SessionSources;
  /** Of each session of another program, as it is now, what daily budgets count. Absent: they count none. */
  readonly observedUse?: () => Promise<readonly ObservedUse[]>;
  /** That of the store. Default: a connection of the engine's own. */
  readonly catalogue?: Catalogue;
  /** The process that keeps the catalogue up to date, `sources` included. Default: this one. */
  readonly catalogueOwner?: CatalogueOwner;
}
