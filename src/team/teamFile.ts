import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { formatAddress, parseAddress, type TeamAddress } from './database/address.ts';

const teamFileSchema = z.object({ url: z.string() });

/** Folder with a store's data about its team. */
export const teamFolder = (storeDir: string): string => path.join(storeDir, 'team');
export const teamFile = (storeDir: string): string => path.join(teamFolder(storeDir), 'team.json');

/** Whether the store belongs to a team. */
export async function isInTeam(storeDir: string): Promise<boolean> {
  return stat(teamFile(storeDir)).then(
    () => true,
    () => false,
  );
}

/**
 * The team that the store belongs to; `null`: none. @throws TeamError `url` if the file was edited to something
 * unusable
 */
export async function readTeam(storeDir: string): Promise<TeamAddress | null> {
  const text = await readFile(teamFile(storeDir), 'utf8').catch(() => null);
  if (text === null) return null;
  return parseAddress(teamFileSchema.parse(JSON.parse(text)).url);
}

/** @throws file system errors */
export async function writeTeam(storeDir: string, address: TeamAddress): Promise<void> {
  const file = teamFile(storeDir);
  await mkdir(teamFolder(storeDir), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, `${JSON.stringify({ url: formatAddress(address) })}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Removes the store's data about its team, including copies of shared sessions. */
export async function removeTeam(storeDir: string): Promise<void> {
  await rm(teamFolder(storeDir), { recursive: true, force: true });
}

/**
 * Moves the store's data about its team aside, including copies of shared sessions, until the store has certainly left.
 * @throws file system errors
 */
export async function moveTeamFolder(
  storeDir: string,
): Promise<{ readonly remove: () => Promise<void>; readonly restore: () => Promise<void> }> {
  const folder = teamFolder(storeDir);
  const leftFolder = `${folder}.left`;
  const remove = (): Promise<void> => rm(leftFolder, { recursive: true, force: true });
  await remove();
  await rename(folder, leftFolder);
  return {
    remove,
    restore: async () => {
      // A daemon that still ran may have made an empty one.
      await rm(folder, { recursive: true, force: true });
      await rename(leftFolder, folder);
    },
  };
}
