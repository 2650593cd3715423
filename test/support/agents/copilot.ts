import { installAgent, type InstallResult } from './install.ts';

export const copilotVersion = '1.0.102';

/** Installs Copilot CLI: the loader, and the native program as an optional dependency. */
export function ensureCopilot(): Promise<InstallResult> {
  const name = '@github/copilot';
  return installAgent({
    label: 'Copilot CLI',
    folder: 'copilot',
    name,
    version: copilotVersion,
    file: 'npm-loader.js',
  });
}
