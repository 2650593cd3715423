import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installAgent, type InstallResult } from './install.ts';

export const geminiVersion = '0.61.0';

/** Installs Gemini CLI without optional dependencies, which are for terminals and keychains. */
export function ensureGemini(): Promise<InstallResult> {
  const name = '@google/gemini-cli';
  const file = 'bundle/gemini.js';
  return installAgent({ label: 'Gemini CLI', folder: 'gemini', name, version: geminiVersion, file, plain: true });
}

/** The login method must be configured; the model's URL is not enough. */
export function configureGemini(home: string): void {
  mkdirSync(path.join(home, '.gemini'), { recursive: true });
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  };
  writeFileSync(path.join(home, '.gemini/settings.json'), JSON.stringify(settings));
}

/** Makes Gemini CLI use only `modelUrl`. */
export function geminiVariables(modelUrl: string): Record<string, string> {
  return { GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: modelUrl };
}
