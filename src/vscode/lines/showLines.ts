import * as vscode from 'vscode';
import type { SessionList } from '../sessions/sessionList.ts';
import { LineMarks } from './lineMarks.ts';
import { hoverProvider, LineLenses } from './lineProviders.ts';
import type { LineStories } from './lineStories.ts';

const files: vscode.DocumentSelector = { scheme: 'file' };

/** Shows marks, hovers and lenses until disposed. `pause`: delay in ms before updating them after sessions change. */
export function showLines(stories: LineStories, list: SessionList, pause: number): vscode.Disposable {
  const lenses = new LineLenses(stories);
  const marks = new LineMarks(stories, () => lenses.renew());
  return vscode.Disposable.from(
    marks,
    lenses,
    list.onDidChange(() => marks.scheduleDraw(pause)),
    vscode.languages.registerHoverProvider(files, hoverProvider(stories)),
    vscode.languages.registerCodeLensProvider(files, lenses),
  );
}
