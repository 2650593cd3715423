import * as vscode from 'vscode';
import { unreported } from '../../insight/review/lineTrail.ts';
import type { OpenReview, ReviewPlace } from './openReview.ts';
import { changeText, originHover, promptLine, rangeOf } from './reviewText.ts';

const { t } = vscode.l10n;

const files: vscode.DocumentSelector = { scheme: 'file' };
const offered = 'vitrine.reviewLensesOffered';

/** Shows at each change of an open review who made it, with Keep and Revert: lenses, a hover, and a mark at the end of a line. */
export class ReviewMarks implements vscode.Disposable, vscode.CodeLensProvider, vscode.HoverProvider {
  readonly #review: () => OpenReview | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #type = vscode.window.createTextEditorDecorationType({
    after: { margin: '0 0 0 3em', color: new vscode.ThemeColor('editorCodeLens.foreground') },
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.modifiedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  readonly #disposables: readonly { dispose(): unknown }[];
  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(review: () => OpenReview | undefined) {
    this.#review = review;
    this.#disposables = [
      this.#type,
      this.#changed,
      vscode.languages.registerCodeLensProvider(files, this),
      vscode.languages.registerHoverProvider(files, this),
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.draw()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.#review()?.fileOf(document.uri) !== undefined) this.draw();
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('diffEditor.codeLens')) this.draw();
      }),
    ];
  }

  /** After a change of the review. */
  renew(): void {
    this.#changed.fire();
    this.draw();
  }

  draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.scheme !== 'file') continue;
      editor.setDecorations(this.#type, hasLenses(editor) ? [] : this.#createMarks(editor.document));
    }
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const review = this.#review();
    if (review === undefined) return [];
    return this.#findPlaces(document).flatMap(({ hunk }) => {
      const range = rangeOf(hunk, document.lineCount);
      const lens = (title: string, command: string, ...args: readonly unknown[]): vscode.CodeLens =>
        new vscode.CodeLens(range, { title, command, arguments: [...args] });
      const step = hunk.by.findLast((author) => author !== unreported);
      const origin = [changeText(review.session, hunk), promptLine(review.session, hunk)].filter(Boolean).join(' · ');
      return [
        review.isReviewed(hunk)
          ? lens(`$(pass-filled) ${t('Reviewed')}`, 'vitrine.keepChange', hunk.key)
          : lens(`$(check) ${t('Keep')}`, 'vitrine.keepChange', hunk.key),
        lens(`$(discard) ${t('Revert')}`, 'vitrine.revertChange', hunk.key),
        step === undefined ? lens(origin, '') : lens(`$(history) ${origin}`, 'vitrine.openEntry', review.id, step),
      ];
    });
  }

  provideHover(document: vscode.TextDocument, { line }: vscode.Position): vscode.Hover | undefined {
    const review = this.#review();
    const place = this.#findPlaces(document).find(({ hunk }) => {
      const { start, end } = rangeOf(hunk, document.lineCount);
      return start.line <= line && line <= end.line;
    });
    return review === undefined || place === undefined ? undefined : new vscode.Hover(originHover(review, place));
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #createMarks(document: vscode.TextDocument): vscode.DecorationOptions[] {
    const review = this.#review();
    if (review === undefined) return [];
    return this.#findPlaces(document).map(({ hunk }) => {
      const { start } = rangeOf(hunk, document.lineCount);
      const { range } = document.lineAt(start.line);
      const contentText = `${review.isReviewed(hunk) ? '✓ ' : ''}${changeText(review.session, hunk)}`;
      return { range: new vscode.Range(range.end, range.end), renderOptions: { after: { contentText } } };
    });
  }

  /** None while the document is not what was compared. */
  #findPlaces(document: vscode.TextDocument): ReviewPlace[] {
    const file = document.isDirty ? undefined : this.#review()?.fileOf(document.uri);
    return file === undefined ? [] : file.hunks.map((hunk) => ({ file, hunk }));
  }
}

/** Editors of several files have none, whatever the setting says. */
function hasLenses({ document }: vscode.TextEditor): boolean {
  const uri = document.uri.toString();
  return vscode.window.tabGroups.all.some(({ activeTab }) => {
    const input = activeTab?.input;
    if (input instanceof vscode.TabInputText) return input.uri.toString() === uri;
    return input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri && showsLenses();
  });
}

function showsLenses(): boolean {
  return vscode.workspace.getConfiguration('diffEditor').get<boolean>('codeLens') === true;
}

/** VS Code shows no lenses in diffs unless a setting says so; Vitrine asks once. */
export async function offerLenses(state: vscode.Memento): Promise<void> {
  if (showsLenses() || state.get<boolean>(offered) === true) return;
  await state.update(offered, true);
  const show = t('Show in Diffs');
  const message = t('Show Keep and Revert above each change in diff editors? This turns on CodeLens there.');
  if ((await vscode.window.showInformationMessage(message, show)) !== show) return;
  await vscode.workspace.getConfiguration('diffEditor').update('codeLens', true, vscode.ConfigurationTarget.Global);
}
