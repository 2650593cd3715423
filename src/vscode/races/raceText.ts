import * as vscode from 'vscode';
import { laneText } from '../../engine/race/git/laneText.ts';
import { RaceGit } from '../../engine/race/git/raceGit.ts';
import type { Race } from '../../model/race/race.ts';

const { t } = vscode.l10n;

/** The text of a file in a result, or at the start. @throws EngineFailure, file system errors */
export async function raceText(race: Race, asked: Parameters<typeof laneText>[1]): Promise<string> {
  if (!vscode.workspace.isTrusted) throw new Error(t('Not available in Restricted Mode. Trust this workspace first.'));
  return (await laneText(race, asked, await raceGit(race.repository))) ?? t('This file is too large to show.');
}

/** Whether agents can have worktrees of this folder. */
export async function isRepository(folder: string): Promise<boolean> {
  try {
    return (await (await raceGit(folder)).line(['rev-parse', '--verify', '--quiet', 'HEAD'])) !== null;
  } catch {
    // git is missing.
    return false;
  }
}

function raceGit(folder: string): Promise<RaceGit> {
  const known = Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return RaceGit.find(folder, Object.fromEntries(known));
}
