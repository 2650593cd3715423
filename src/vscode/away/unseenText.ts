import * as vscode from 'vscode';

const { t } = vscode.l10n;

/** `3 updates while you were away`. */
export function unseenText(count: number): string {
  return count === 1 ? t('1 update while you were away') : t('{0} updates while you were away', count);
}
