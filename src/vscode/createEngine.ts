import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { adapters } from '../agents/registry.ts';
import type { BlueprintAccess } from '../engine/blueprints/access.ts';
import { Engine } from '../engine/engine.ts';
import type { EnginePaths } from './engineHost.ts';
import { followUpSettings } from './followUps/followUpSettings.ts';
import { engineSettings, requestMinutes, runnerSettings, stopGraceSeconds } from './settings.ts';

/** Loaded on first need: with it come schemas, adapters and processes. */
export function createEngine(
  paths: EnginePaths,
  secrets: vscode.SecretStorage,
  blueprints: BlueprintAccess,
  log: vscode.LogOutputChannel,
): Engine {
  return new Engine({
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
    adapters,
    blueprints: { ...blueprints, tags: () => runnerSettings().tags },
    interactive: true,
    mayAsk: () => vscode.workspace.isTrusted,
    // Read when they are needed, so that a change counts from the next run on.
    timing: {
      get politeGrace() {
        return stopGraceSeconds() * 1000;
      },
      get request() {
        return requestMinutes() * 60_000;
      },
    },
  });
}
