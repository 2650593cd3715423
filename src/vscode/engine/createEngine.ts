import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { adapters } from '../../agents/registry.ts';
import { storeFormats } from '../../agents/stores/formats.ts';
import type { BlueprintAccess } from '../../engine/blueprints/access.ts';
import type { EngineFailure } from '../../engine/failures/failures.ts';
import { systemProcesses } from '../../engine/sources/live/processes.ts';
import { SessionSources } from '../../engine/sources/sources.ts';
import { followUpSettings } from '../followUps/followUpSettings.ts';
import { engineSettings, runnerSettings, whenWindowsClose } from '../settings/settings.ts';
import type { RunMemory } from '../run/runMemory.ts';
import { clientContext } from './clientContext.ts';
import { WindowEngine } from './windowEngine.ts';

const { t } = vscode.l10n;

export interface CreateEngineDeps {
  readonly paths: EnginePaths;
  readonly secrets: vscode.SecretStorage;
  readonly memory: RunMemory;
  /** Identifies this window in the daemon. */
  readonly windowId: string;
  readonly blueprints: BlueprintAccess;
  readonly input: (
    name: string,
    agent: { readonly name: string; readonly file: string },
  ) => Promise<string | undefined>;
  readonly onUndelivered: (sessionId: string, failure: EngineFailure) => void;
  readonly log: vscode.LogOutputChannel;
}

/** Loads schemas and adapters, so call it on demand. */
export function createEngine(deps: CreateEngineDeps): WindowEngine {
  const { paths, secrets, memory, windowId, blueprints, input, onUndelivered, log } = deps;
  const sources = new SessionSources({
    formats: storeFormats,
    place: { env: process.env, home: homedir(), platform: process.platform },
    processes: systemProcesses,
    clock: Date.now,
  });
  return new WindowEngine({
    daemonFile: path.join(paths.extension, 'dist', 'daemon.js'),
    environment: process.env,
    build: paths.version,
    client: { kind: 'window', person: true, id: windowId },
    contextOf: (folder) => clientContext(folder, secrets, memory),
    folders: () => (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    whenWindowsClose,
    onInput: async (name, agent) => (await input(name, agent)) ?? null,
    onUndelivered,
    onSlowStart: (end) => void vscode.window.setStatusBarMessage(t('Starting the Vitrine daemon…'), end),
    engine: {
      storeDir: paths.store,
      demoDir: paths.demo,
      version: paths.version,
      clock: Date.now,
      randomHex: (digits) =>
        randomBytes(Math.ceil(digits / 2))
          .toString('hex')
          .slice(0, digits),
      environment: process.env,
      settings: () => ({ ...engineSettings(secrets), followUps: followUpSettings() }),
      log,
      sources,
      adapters,
      blueprints: { ...blueprints, tags: () => runnerSettings().tags },
      mayAsk: () => vscode.workspace.isTrusted,
    },
  });
}

export interface EnginePaths {
  /** The extension's folder. */
  readonly extension: string;
  /** Folder of the session records. */
  readonly store: string;
  /** Folder of the demo's recordings. */
  readonly demo: string;
  /** Version of Vitrine. */
  readonly version: string;
}
