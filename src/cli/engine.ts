import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { adapters } from '../agents/registry.ts';
import type { AcpProfile, AgentSettings } from '../engine/api.ts';
import { Engine } from '../engine/engine.ts';
import type { ExecutorType } from '../model/session.ts';
import { blueprintsOf, inputOf } from './blueprints.ts';
import { type CliContext, UsageError } from './command.ts';
import { packageFolder, version } from './package.ts';
import type { ServerChoice } from './serverAgent.ts';

export interface EngineOptions {
  readonly store: string | undefined;
  readonly agents?: Readonly<Partial<Record<ExecutorType, AgentSettings>>>;
  readonly acp?: readonly AcpProfile[];
  readonly server?: ServerChoice;
  readonly replaySpeed?: number;
}

export const storeHelp = `  --store DIR        where sessions are kept; default: $XDG_DATA_HOME/vitrine, ~/.local/share/vitrine, %APPDATA%\\vitrine
`;

/** @throws UsageError */
export function storeFolder({ env, cwd }: CliContext, given: string | undefined): string {
  if (given !== undefined) {
    const folder = path.resolve(cwd, given);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
      throw new UsageError(`This is no folder: ${folder} (--store).`, 'Give the folder that sessions are kept in.');
    return folder;
  }
  const home = env['HOME'] ?? env['USERPROFILE'] ?? cwd;
  const roaming = env['APPDATA'];
  if (process.platform === 'win32' && roaming !== undefined) return path.join(roaming, 'vitrine');
  const data = env['XDG_DATA_HOME'];
  return data !== undefined && path.isAbsolute(data)
    ? path.join(data, 'vitrine')
    : path.join(home, '.local/share/vitrine');
}

export function createEngine(context: CliContext, options: EngineOptions): Engine {
  const warn = (message: string): void => void context.stderr.write(`vitrine: ${message}\n`);
  const quiet = (): void => undefined;
  return new Engine({
    storeDir: storeFolder(context, options.store),
    clock: context.now,
    randomHex: (digits) => randomBytes(digits).toString('hex').slice(0, digits),
    environment: context.env,
    settings: () => ({
      agents: options.agents ?? {},
      acp: options.acp ?? [],
      acpHttp: options.server === undefined ? [] : [options.server.server],
      acpHttpToken: () => Promise.resolve(options.server?.token),
      replaySpeed: options.replaySpeed ?? 1,
    }),
    log: { debug: quiet, info: quiet, warn, error: warn },
    demoDir: path.join(packageFolder(import.meta.dirname), 'media/demo'),
    adapters,
    blueprints: {
      load: (folder) => blueprintsOf(context, folder),
      use: { options: () => ({}), environment: context.env, input: inputOf(context) },
    },
    version: version(),
  });
}
