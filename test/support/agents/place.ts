import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { newRunFolder } from '../host/runFolder.ts';
import { until } from '../until.ts';
import { startModelServer } from '../models/anthropic.ts';
import type { Scenarios } from '../models/scripts/scenario.ts';
import { testScenarios } from '../models/scripts/scenarios.ts';
import type { ModelServer, ModelServerOptions } from '../models/server.ts';
import { agentEnvironment } from './environment.ts';

/** A temporary home and workspace for one real agent with a scripted model. */
export interface AgentPlace {
  /** A copy of the sample workspace. */
  readonly workspace: string;
  readonly home: string;
  /** Folder of Vitrine's records. */
  readonly store: string;
  /** Complete environment, with the program on its PATH. */
  readonly env: Readonly<Record<string, string>>;
  readonly model: ModelServer;
  remove(): Promise<void>;
}

/** Allows all tools for the agent in `home`, in every version's settings. */
export function allowTools(home: string): void {
  mkdirSync(path.join(home, '.claude'), { recursive: true });
  const permissions = { allow: ['Read', 'Edit', 'Write', 'Bash'] };
  writeFileSync(path.join(home, '.claude/settings.json'), JSON.stringify({ permissions }));
}

/** Options for agents other than Claude Code. */
export interface PlaceOptions {
  /** Program name. */
  readonly name?: string;
  readonly variables?: (modelUrl: string) => Record<string, string>;
  readonly scenarios?: (workspace: string) => Scenarios;
  /** API of its model. */
  readonly serve?: (options: ModelServerOptions) => Promise<ModelServer>;
  /** Writes the agent's settings before it is started. */
  readonly configure?: (home: string, modelUrl: string) => void;
}

export async function agentPlace(program: string, options: PlaceOptions = {}): Promise<AgentPlace> {
  const { name = 'claude', variables, scenarios = testScenarios, serve = startModelServer } = options;
  const folder = newRunFolder('agent');
  const programs = path.join(folder.root, 'bin');
  mkdirSync(programs);
  symlinkSync(program, path.join(programs, name));
  const model = await serve({ scenarios: scenarios(folder.workspace) });
  (options.configure ?? allowTools)(folder.home, model.url);
  const env = agentEnvironment({ home: folder.home, modelUrl: model.url }, variables);
  return {
    workspace: folder.workspace,
    home: folder.home,
    store: path.join(folder.root, 'store'),
    env: { ...env, PATH: `${programs}${path.delimiter}${env['PATH'] ?? ''}` },
    model,
    remove: async () => {
      await model.stop();
      folder.remove();
    },
  };
}

/**
 * Command lines of living processes with this `home`: everything that the agent started, detached or not. Linux only,
 * where environments are readable.
 */
export function processesOf(home: string): string[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) return [];
    try {
      const variables = readFileSync(`/proc/${entry}/environ`, 'utf8').split('\0');
      if (!variables.includes(`HOME=${home}`)) return [];
      return [readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()];
    } catch {
      return [];
    }
  });
}

/** Waits until killed processes have been reaped. */
export async function waitForProcessEnd(home: string): Promise<void> {
  await until(`the end of what runs in ${home}`, () => processesOf(home).length === 0);
}
