import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { findOnPath } from './searchPath.ts';

export interface ShimTarget {
  /** Relative to the folder of the shim. */
  readonly target: string;
  /** `null`: the target is itself a program. */
  readonly node: readonly string[] | null;
}

/** Last line of a shim by npm, pnpm or Yarn: `PROGRAM OPTIONS "%dp0%\target" %*`. */
const command = /^(.*?)((?:"[^"]*"|[\w.]+))?\s*((?:--?[\w.:=@/-]+\s+)*)"(?:%~dp0|%dp0%)\\?([^"%]+)"\s+%\*\s*\)?\s*$/;

/** `null` if the file is not a package manager's shim or does more than start a program. */
export function parseShim(text: string): ShimTarget | null {
  // pnpm sets package folders there, which the script may need.
  if (/NODE_PATH/i.test(text)) return null;
  const line = text.split(/\r?\n/).findLast((candidate) => candidate.includes('%*'));
  const match = command.exec(line ?? '');
  const target = match?.[4];
  if (match === null || target === undefined) return null;
  const program = (match[2] ?? '').replaceAll('"', '');
  const options = (match[3] ?? '').split(/\s+/).filter((word) => word !== '');
  if (/^(?:%_prog%|node|(?:%~dp0|%dp0%)\\?node\.exe)$/i.test(program)) {
    // Shims for other interpreters look similar.
    const isNode = /\bnode(?:\.exe)?"/i.test(text) || /^node$/i.test(program);
    return isNode ? { target, node: options } : null;
  }
  return /\.(?:exe|com)$/i.test(target) && options.length === 0 ? { target, node: null } : null;
}

/**
 * Resolves a package manager's `.cmd` file to the program that it starts, because `cmd.exe` cannot pass arguments with
 * line breaks. Returns other files unchanged.
 */
export async function withoutShim(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly file: string; readonly args: readonly string[] }> {
  const unchanged = { file, args };
  if (!/\.(?:cmd|bat)$/i.test(file)) return unchanged;
  const shim = parseShim(await readFile(file, 'utf8').catch(() => ''));
  if (shim === null) return unchanged;
  const folder = path.dirname(file);
  const target = path.resolve(folder, shim.target.replaceAll('\\', path.sep));
  if (!(await isFile(target))) return unchanged;
  if (shim.node === null) return { file: target, args };
  const localNode = path.join(folder, 'node.exe');
  const node = (await isFile(localNode)) ? localNode : await findOnPath('node', env);
  return node === undefined ? unchanged : { file: node, args: [...shim.node, target, ...args] };
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}
