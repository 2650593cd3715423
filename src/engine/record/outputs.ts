import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { runIdSchema } from '../../model/session/session.ts';
import { rawFile } from './layout.ts';
import { rawSize } from './pack/packFile.ts';

/** Folder of a session that has lost its record but still has other files; otherwise `null`. */
export async function findLeftoverFolder(folder: string): Promise<string | null> {
  const names = await readdir(folder).catch((): string[] => []);
  const outputs = await readdir(path.join(folder, 'runs')).catch((): string[] => []);
  return names.includes('record.head') || outputs.length > 0 ? folder : null;
}

/** Ids of runs with stdout output, according to the files in `runs/`. */
export async function runsWithOutput(folder: string): Promise<string[]> {
  const names = await readdir(path.join(folder, 'runs')).catch((): string[] => []);
  const ids = new Set(names.map((name) => name.split('.', 1)[0]).filter((id) => runIdSchema.safeParse(id).success));
  const found: string[] = [];
  for (const id of ids) {
    if (id !== undefined && (await rawSize(rawFile(folder, id, 'stdout')).catch(() => 0)) > 0) found.push(id);
  }
  return found.sort();
}
