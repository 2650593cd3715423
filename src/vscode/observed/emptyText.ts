import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ObservedLoader } from './observedLoader.ts';

const { t } = vscode.l10n;

/** Maximum number of folders to name; the others are counted. */
const maxNamed = 6;

/** Where Vitrine searched for sessions, shown if it found none; empty before the search. */
export function emptyText({ searchedFolders: lookedIn, outOfScope }: ObservedLoader): string {
  if (lookedIn.length === 0) return '';
  const named = lookedIn.slice(0, maxNamed).map(shortPath).join(', ');
  const unnamed = lookedIn.length - maxNamed;
  const places =
    unnamed > 1
      ? t('Vitrine looked in {0} and {1} other folders.', named, unnamed)
      : unnamed === 1
        ? t('Vitrine looked in {0} and 1 other folder.', named)
        : t('Vitrine looked in {0}.', named);
  const others =
    outOfScope === 1
      ? t('1 session belongs to another folder.')
      : t('{0} sessions belong to other folders.', outOfScope);
  return outOfScope === 0 ? places : `${places} ${others}`;
}

function shortPath(folder: string): string {
  const relative = path.relative(homedir(), folder);
  return relative.startsWith('..') || path.isAbsolute(relative) ? folder : path.join('~', relative);
}
