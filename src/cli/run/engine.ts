import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { adapters } from '../../agents/registry.ts';
import { defaultStore } from '../../client/machine/defaultStore.ts';
import type { AcpProfile, AgentSettings, EngineSettings } from '../../engine/api.ts';
import { Catalogue } from '../../engine/catalogue/catalogue.ts';
import { StoredFacts } from '../../engine/catalogue/storedFacts.ts';
import { Engine } from '../../engine/engine.ts';
import type { EngineDeps } from '../../engine/engineDeps.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import { trustedBlueprints, inputOf } from '../blueprints/blueprints.ts';
import { type CliContext, UsageError } from '../command.ts';
import { randomHex } from '../../engine/ids.ts';
import { packageFolder, version } from '../../engine/packageInfo.ts';
import type { ServerChoice } from '../options/serverAgent.ts';
import { createSources } from '../sessions/observed.ts';

export interface EngineOptions {
  readonly store: string | undefined;
  /** Tags of this runner; default: none. */
  readonly tags?: readonly string[];
  readonly agents?: Readonly<Partial<Record<ExecutorType, AgentSettings>>>;
  readonly acp?: readonly AcpProfile[];
  readonly server?: ServerChoice;
  readonly replaySpeed?: number;
  /** The user's price table. */
  readonly prices?: unknown;
  /** Excludes sessions from other programs from searches. */
  readonly excludesObserved?: boolean;
  /** The command writes to the store, which is created if missing. */
  readonly createsStore?: boolean;
}

export const storeHelp = `  --store DIR        folder of the sessions; default: $XDG_DATA_HOME/vitrine, ~/.local/share/vitrine, %APPDATA%\\vitrine
`;

/** @throws UsageError */
export function storeFolder({ env, cwd }: CliContext, option: string | undefined): string {
  if (option !== undefined) {
    const folder = path.resolve(cwd, option);
    if (isFolder(folder) === false)
      throw new UsageError(`Not a folder: ${folder} (--store).`, 'Specify the folder of the sessions.');
    return folder;
  }
  return defaultStore(env, cwd);
}

/** `undefined`: it does not exist but could be created. */
function isFolder(place: string): boolean | undefined {
  try {
    const found = statSync(place, { throwIfNoEntry: false });
    const parent = path.dirname(place);
    return found === undefined && parent !== place && isFolder(parent) === false ? false : found?.isDirectory();
  } catch {
    return false;
  }
}

/** Level by level: on systems without real folders (`/proc`), creating all at once never ends. */
function makeFolder(folder: string): void {
  if (isFolder(folder) === true) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    if (isFolder(folder) === true) return;
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The store cannot be created: ${why}.`, 'Choose another folder with --store.');
  }
}

/** Engine settings for the options of a command. */
export function settingsOf({ agents = {}, acp = [], server, replaySpeed = 1, prices }: EngineOptions): EngineSettings {
  return {
    agents,
    acp,
    acpHttp: server === undefined ? [] : [server.server],
    acpHttpToken: () => Promise.resolve(server?.token),
    replaySpeed,
    prices,
  };
}

export function createEngine(context: CliContext, options: EngineOptions): Engine {
  return new Engine(engineDeps(context, options));
}

export function engineDeps(context: CliContext, options: EngineOptions): EngineDeps {
  const warn = (message: string): void => void context.stderr.write(`vitrine: ${message}\n`);
  const quiet = (): void => undefined;
  const storeDir = storeFolder(context, options.store);
  if (options.createsStore === true) makeFolder(storeDir);
  const catalogue = new Catalogue(storeDir);
  return {
    storeDir,
    clock: context.now,
    randomHex,
    environment: context.env,
    settings: () => settingsOf(options),
    log: { debug: quiet, info: quiet, warn, error: warn },
    demoDir: path.join(packageFolder(import.meta.dirname), 'media/demo'),
    adapters,
    blueprints: {
      load: (folder) => trustedBlueprints(context, folder),
      use: { options: () => ({}), environment: context.env, input: inputOf(context) },
      tags: () => options.tags ?? [],
    },
    version: version(),
    copyFiles: true,
    catalogue,
    ...(options.excludesObserved !== true && { sources: createSources(context, new StoredFacts(catalogue, { warn })) }),
  };
}
