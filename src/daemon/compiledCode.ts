import { readdir, rm } from 'node:fs/promises';
import nodeModule from 'node:module';
import path from 'node:path';

/**
 * Lets Node.js keep the compiled code of this build in the daemon's private folder, and drops that of other builds. The next
 * daemon starts a third faster. A folder that cannot be written costs nothing but this.
 */
export async function keepCompiledCode(folder: string, version: string): Promise<void> {
  const all = path.join(folder, 'compiled');
  // Older runtimes cannot.
  if (!('enableCompileCache' in nodeModule)) return;
  nodeModule.enableCompileCache(path.join(all, version));
  const others = (await readdir(all).catch(() => [])).filter((name) => name !== version);
  await Promise.all(others.map((name) => rm(path.join(all, name), { recursive: true, force: true }).catch(() => {})));
}
