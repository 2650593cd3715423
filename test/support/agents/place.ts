import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { newRunFolder } from '../host/runFolder.ts';
import { until } from '../until.ts';
import { startModelServer } from '../models/anthropic.ts';
import type { Scenarios } from '../models/scripts/scenario.ts';
import { testScenarios } from '../models/scripts/scenarios.ts';
import type { ModelServer, ModelServerOptions } from '../models/server.ts';
import { agentEnvironment } from './environment.ts';

/** A throw-away home and workspace, in which one real agent is asked by a scripted model. */
export interface AgentPlace {
  /** A copy of the sample workspace. */
  readonly workspace: string;
  readonly home: string;
  /** For Vitrine's records. */
  readonly store: string;
  /** The whole environment, with the program on its PATH. */
  readonly env: Readonly<Record<string, string>>;
  readonly model: ModelServer;
  remove(): Promise<void>;
}

/** Lets the agent in `home` use its tools unasked; read by every version. */
export function allowTools(home: string): void {
  mkdirSync(path.join(home, '.claude'), { recursive: true });
  const permissions = { allow: ['Read', 'Edit', 'Write', 'Bash'] };
  writeFileSync(path.join(home, '.claude/settings.json'), JSON.stringify({ permissions }));
}

/** What differs for agents other than Claude Code. */
export interface PlaceOptions {
  /** By which the program is found. */
  readonly name?: string;
  readonly variables?: (modelUrl: string) => Record<string, string>;
  readonly scenarios?: (workspace: string) => Scenarios;
  /** The API that its model has. */
  readonly serve?: (options: ModelServerOptions) => Promise<ModelServer>;
  /** Writes the agent's own settings, before it is started. */
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
 * Command lines of the living processes whose home is `home`: all that the agent started, however it detached itself.
 * Linux only, where a process's environment can be read.
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

/** One that was killed is there until its parent has heard of it. */
export async function goneFrom(home: string): Promise<void> {
  await until(`the end of what runs in ${home}`, () => processesOf(home).length === 0);
}
