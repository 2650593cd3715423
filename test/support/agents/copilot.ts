import { installAgent, type Installed } from './install.ts';

export const copilotVersion = '1.0.102';

/** The real Copilot CLI: the loader that npm puts on the PATH. The native program that it starts is an optional dependency. */
export function ensureCopilot(): Promise<Installed> {
  const name = '@github/copilot';
  return installAgent({
    label: 'Copilot CLI',
    folder: 'copilot',
    name,
    version: copilotVersion,
    file: 'npm-loader.js',
  });
}
