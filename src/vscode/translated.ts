import * as vscode from 'vscode';
import { inWords, type Wording } from '../engine/wording.ts';

/** In the language of this VS Code. */
export function translated(wording: Wording): string {
  return inWords(wording, (template) => vscode.l10n.t(template));
}
