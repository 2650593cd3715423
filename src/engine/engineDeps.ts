import type { AgentAdapter } from '../agents/adapter.ts';
import type { ObservedUse } from '../insight/budgets/spentOfLimit.ts';
import type { BlueprintAccess } from './blueprints/access.ts';
import type { Presence } from './requests/countdown.ts';
import type { Log, EngineSettings, Timing } from './api.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import type { SessionSources } from './sources/sources.ts';

export interface EngineDeps {
  /** Folder that holds `sessions/` and `leases/`; made when it is needed. */
  readonly storeDir: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Milliseconds that only grow, at best without those asleep: for what lasts. Default: `performance.now()`. */
  readonly monotonic?: () => number;
  /** `digits` hexadecimal digits, lower case, random. */
  readonly randomHex: (digits: number) => string;
  /** The environment the agent's is made of, usually `process.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** As they are now, for sessions in a folder; without one, those that hold everywhere. */
  readonly settings: (folder?: string) => EngineSettings;
  readonly log: Log;
  /** Folder of the recordings that the demo plays. */
  readonly demoDir: string;
  readonly adapters: readonly AgentAdapter[];
  /** Of Vitrine; told to agents that ask who is there. */
  readonly version?: string;
  readonly timing?: Timing;
  /** Whether programs may be asked for their version and login, which starts them. Default: they may. */
  readonly mayAsk?: () => boolean;
  /** Whether a person could answer now: `Timing.request` counts only then. Absent: always. */
  readonly presence?: Presence;
  /** Someone is there to be asked and to write while an agent works. Default false: requests are denied at once. */
  readonly interactive?: boolean;
  /** Agents that are files; with them agents may start others, as far as their own files permit. Absent: they may not. */
  readonly blueprints?: BlueprintAccess;
  /** Sessions of other programs, to be searched with Vitrine's own. Absent: none are. */
  readonly sources?: SessionSources;
  /** Of each session of another program, as it is now, what daily budgets count. Absent: they count none. */
  readonly observedUse?: () => Promise<readonly ObservedUse[]>;
  /** That of the store. Default: a connection of the engine's own. */
  readonly catalogue?: Catalogue;
}
