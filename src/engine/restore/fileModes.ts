import * as z from 'zod';
import { isExecutable } from '../../model/files/fileMode.ts';

/**
 * Permissions of the files of a snapshot, of which git only keeps whether a file is executable. `others` has those that
 * differ from the usual ones, by path.
 */
export const fileModesSchema = z.object({
  plain: z.int(),
  executable: z.int(),
  others: z.record(z.string(), z.int()),
});
export type FileModes = z.infer<typeof fileModesSchema>;

/** `executable`: permissions of a new file that everyone should be able to run. */
export function defaultModes(executable: number): FileModes {
  return { plain: executable & 0o666, executable, others: {} };
}

export function modeOf({ plain, executable, others }: FileModes, path: string, gitMode: string): number {
  return others[path] ?? (gitMode === '100755' ? executable : plain);
}

/** Adds the modes found now; `null`: not a regular file. */
export function withModes(modes: FileModes, found: ReadonlyMap<string, number | null>): FileModes {
  if (found.size === 0) return modes;
  const others = new Map(Object.entries(modes.others));
  for (const [path, mode] of found) {
    const isUsualMode = mode !== null && mode === (isExecutable(mode) ? modes.executable : modes.plain);
    if (mode === null || isUsualMode) others.delete(path);
    else others.set(path, mode);
  }
  return { ...modes, others: Object.fromEntries([...others].sort(([a], [b]) => (a < b ? -1 : 1))) };
}
