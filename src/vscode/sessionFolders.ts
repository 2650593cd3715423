import * as vscode from 'vscode';
import type { SessionList } from './sessionList.ts';
import type { SessionRow } from './sessionRow.ts';

/** A folder that sessions were run in; `undefined` where theirs is not known. */
export interface SessionFolder {
  readonly folder: string | undefined;
  readonly sessions: readonly SessionRow[];
  /** In this window. */
  readonly here: boolean;
  /** It is on this machine no more. */
  readonly gone: boolean;
}

/** Those that are gone first, then those with most sessions. */
export async function sessionFolders(list: SessionList): Promise<readonly SessionFolder[]> {
  const here = new Set(list.here().map((row) => row.session_id));
  const groups = new Map<string | undefined, SessionRow[]>();
  for (const row of list.all()) groups.set(row.project_dir, [...(groups.get(row.project_dir) ?? []), row]);
  const found = [...groups].map(async ([folder, sessions]): Promise<SessionFolder> => {
    const gone = folder !== undefined && !(await isThere(folder));
    return { folder, sessions, gone, here: sessions.every((row) => here.has(row.session_id)) };
  });
  return (await Promise.all(found)).sort((a, b) => +b.gone - +a.gone || b.sessions.length - a.sessions.length);
}

async function isThere(folder: string): Promise<boolean> {
  return await vscode.workspace.fs.stat(vscode.Uri.file(folder)).then(
    () => true,
    () => false,
  );
}
