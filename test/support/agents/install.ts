import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { cache, installOnce, npm } from '../host/install/cache.mjs';

/** An installed program, or why there is none. */
export type InstallResult = { readonly program: string } | { readonly missing: string };

export interface AgentPackage {
  /** For display. */
  readonly label: string;
  /** In the cache. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** npm package spec, if it is not `name@version`. */
  readonly spec?: string;
  /** Path of the program in the package. */
  readonly file: string;
  /** Skips optional dependencies. */
  readonly plain?: boolean;
}

/**
 * Installs the program from the npm registry into the git-ignored cache, once. If that fails (no package for this
 * platform, no registry), returns the reason, and tests that need it are skipped.
 */
export async function installAgent(agent: AgentPackage): Promise<InstallResult> {
  const { label, folder, name, version, spec = `${name}@${version}`, file } = agent;
  mkdirSync(path.join(cache, 'agents'), { recursive: true });
  try {
    const installed = await installOnce(`agents/${folder}-${version}`, version, async (target) => {
      console.log(`Installing ${label} ${version} (${spec}) into ${target}.`);
      const started = performance.now();
      const flags = ['--ignore-scripts', '--force', ...(agent.plain === true ? ['--omit=optional'] : [])];
      await npm(target, ['install', ...flags, spec]);
      console.log(`${label} ${version} is installed (${((performance.now() - started) / 1000).toFixed(0)} s).`);
    });
    const program = path.join(installed, 'node_modules', name, file);
    return existsSync(program) ? { program } : { missing: `${spec} has no ${file}` };
  } catch (error) {
    const lines = (error instanceof Error ? error.message : String(error)).trim().split('\n');
    return { missing: `${spec} cannot be installed: ${lines.at(-1) ?? ''}` };
  }
}
