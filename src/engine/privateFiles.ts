import { writeFile } from 'node:fs/promises';
import { freshFolder } from './sideFiles.ts';

/** Files that an agent reads and nobody else may: texts by absolute path in `folder`, which is made for them. */
export async function writePrivate(folder: string, files: Readonly<Record<string, string>> = {}): Promise<void> {
  const all = Object.entries(files);
  if (all.length === 0) return;
  await freshFolder(folder);
  for (const [file, text] of all) await writeFile(file, text, { mode: 0o600, flag: 'wx' });
}
