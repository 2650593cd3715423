import * as vscode from 'vscode';
import type { SessionList } from '../sessions/sessionList.ts';
import { LineMarks } from './lineMarks.ts';
import { hoverProvider, LineLenses } from './lineProviders.ts';
import type { LineOrigins } from './lineOrigins.ts';

const files: vscode.DocumentSelector = { scheme: 'file' };

/** Shows marks, hovers and lenses until disposed. `pause`: delay in ms before updating them after sessions change. */
export function showLines(origins: LineOrigins, list: SessionList, pause: number): vscode.Disposable {
  const lenses = new LineLenses(origins);
  const marks = new LineMarks(origins, () => lenses.renew());
  return vscode.Disposable.from(
    marks,
    lenses,
    list.onDidChange(() => marks.scheduleDraw(pause)),
    vscode.languages.registerHoverProvider(files, hoverProvider(origins)),
    vscode.languages.registerCodeLensProvider(files, lenses),
  );
}
