import * as vscode from 'vscode';
import { quoteSafely } from '../../model/text/visibleText.ts';
import { visibleText } from '../text/inertText.ts';
import type { FolderRuns } from './runsByFolder.ts';

const { t } = vscode.l10n;

/** Maximum number of sessions to name; the others are counted. */
const maxNamed = 3;

/** Such as `/home/ada/relay: “Fix the tests”, “Write the docs” and 2 more`. */
export function folderText({ folder, runs }: FolderRuns): string {
  const named = runs
    .slice(0, maxNamed)
    .map(({ title }) => quoteSafely(title))
    .join(', ');
  const unnamed = runs.length - maxNamed;
  return `${folder === undefined ? t('No folder') : visibleText(folder)}: ${unnamed > 0 ? t('{0} and {1} more', named, unnamed) : named}`;
}
