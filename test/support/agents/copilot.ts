import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { cache, installOnce, npm } from '../host/cache.mjs';
import type { Installed } from './claudeCode.ts';

export const copilotVersion = '1.0.102';

const name = '@github/copilot';

/**
 * The real Copilot CLI from the npm registry into the git-ignored cache, once: the loader that npm puts on the PATH, and
 * the native program that it starts. Where it cannot be had the answer says why, and the tests that need it skip.
 */
export async function ensureCopilot(): Promise<Installed> {
  mkdirSync(path.join(cache, 'agents'), { recursive: true });
  try {
    const folder = await installOnce(`agents/copilot-${copilotVersion}`, copilotVersion, async (target) => {
      console.log(`Installing Copilot CLI ${copilotVersion} (${name}) into ${target}.`);
      const started = performance.now();
      // The native program is an optional dependency, one per platform.
      await npm(target, ['install', '--ignore-scripts', '--force', `${name}@${copilotVersion}`]);
      console.log(
        `Copilot CLI ${copilotVersion} is installed (${((performance.now() - started) / 1000).toFixed(0)} s).`,
      );
    });
    const program = path.join(folder, 'node_modules', name, 'npm-loader.js');
    return existsSync(program) ? { program } : { missing: `${name}@${copilotVersion} has no npm-loader.js` };
  } catch (error) {
    const lines = (error instanceof Error ? error.message : String(error)).trim().split('\n');
    return { missing: `${name}@${copilotVersion} cannot be installed: ${lines.at(-1) ?? ''}` };
  }
}
