import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from './install/cache.mjs';

/** A quiet workbench without prompts, updates or network requests. */
const quiet = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.enableExperiments': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'git.enabled': false,
  'npm.fetchOnlinePackageInfo': false,
  'json.schemaDownload.enable': false,
  'typescript.disableAutomaticTypeAcquisition': true,
  'remote.autoForwardPorts': false,
  'window.confirmBeforeClose': 'never',
  'files.simpleDialog.enable': true,
};

/** User settings as VS Code reads them: name to value. */
export type Settings = Readonly<Record<string, unknown>>;

/** Writes user settings. Without `settings`, keeps an existing file, which the user may have edited. */
export function writeSettings(root: string, settings?: Settings): void {
  const file = path.join(root, 'user-data/User/settings.json');
  if (settings === undefined && existsSync(file)) return;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...quiet, ...settings }, null, 2));
}

/** For settings of scope `machine`, which this remote host reads only here. */
export function writeMachineSettings(root: string, settings: Settings): void {
  mkdirSync(path.join(root, 'user-data/Machine'), { recursive: true });
  writeFileSync(path.join(root, 'user-data/Machine/settings.json'), JSON.stringify(settings, null, 2));
}

/**
 * Links an extension (default: this repository's) into the folder of installed extensions. It then loads like any
 * installed one, with toasts and Workspace Trust, unlike with `extensionDevelopmentPath`.
 */
export function linkExtension(root: string, from = repository): void {
  const { publisher, name, version } = JSON.parse(readFileSync(path.join(from, 'package.json'), 'utf8')) as {
    publisher: string;
    name: string;
    version: string;
  };
  const extensions = path.join(root, 'extensions');
  mkdirSync(extensions, { recursive: true });
  const earlier = readdirSync(extensions).filter((file) => file.startsWith(`${publisher}.${name}-`));
  for (const link of earlier) rmSync(path.join(extensions, link));
  symlinkSync(from, path.join(extensions, `${publisher}.${name}-${version}`), 'junction');
}
