import * as vscode from 'vscode';
import type { LineClaim } from '../../insight/files/lineClaims.ts';
import type { LineOrigins } from './lineOrigins.ts';

/** Delay in ms after the last edit before a document is compared again. */
const pause = 400;

const marks = ['changed', 'edited', 'read'] as const;
type Mark = (typeof marks)[number];

/** Bars that differ in shape, not only in color: filled, broken and dotted. */
const shapes: Readonly<Record<Mark, string>> = {
  changed: '<path d="M8 0v16" stroke-width="4"/>',
  edited: '<path d="M8 0v16" stroke-width="4" stroke-dasharray="3 2.33"/>',
  read: '<path d="M8 1v14" stroke-width="1.5" stroke-dasharray="1.5 2.5"/>',
};

/** Draws in the gutter which lines recorded sessions wrote and read. */
export class LineMarks implements vscode.Disposable {
  readonly #origins: LineOrigins;
  readonly #decorationTypes: Readonly<Record<Mark, vscode.TextEditorDecorationType>>;
  readonly #disposables: vscode.Disposable[];
  readonly #onDrawn: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  /** `onDrawn` is called when marks may have changed. */
  constructor(origins: LineOrigins, onDrawn: () => void) {
    this.#origins = origins;
    this.#onDrawn = onDrawn;
    this.#decorationTypes = { changed: markType('changed'), edited: markType('edited'), read: markType('read') };
    this.#disposables = [
      ...Object.values(this.#decorationTypes),
      vscode.window.onDidChangeVisibleTextEditors(() => this.scheduleDraw(0)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (vscode.window.visibleTextEditors.some((editor) => editor.document === document)) this.scheduleDraw();
      }),
    ];
    this.scheduleDraw(0);
  }

  scheduleDraw(milliseconds = pause): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#draw(), milliseconds);
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #draw(): Promise<void> {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.scheme !== 'file') continue;
      const { version } = editor.document;
      const claims = (await this.#origins.claims(editor.document)) ?? [];
      if (this.#isDisposed) return;
      // A newer version is already being compared.
      if (editor.document.version !== version) continue;
      for (const mark of marks) editor.setDecorations(this.#decorationTypes[mark], rangesOf(claims, mark));
    }
    this.#onDrawn();
  }
}

function markOf([claim]: readonly LineClaim[]): Mark | undefined {
  if (claim === undefined) return undefined;
  return claim.kind === 'read' ? 'read' : claim.isEditedSince ? 'edited' : 'changed';
}

function rangesOf(claims: readonly (readonly LineClaim[])[], mark: Mark): vscode.Range[] {
  return claims.flatMap((claim, at) => (markOf(claim) === mark ? [new vscode.Range(at, 0, at, 0)] : []));
}

function markType(mark: Mark): vscode.TextEditorDecorationType {
  // Images cannot use theme colors, so use those of VS Code's own images.
  const icon = (color: string): vscode.Uri =>
    vscode.Uri.parse(
      `data:image/svg+xml;base64,${Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="${color}">${shapes[mark]}</svg>`,
      ).toString('base64')}`,
    );
  return vscode.window.createTextEditorDecorationType({
    light: { gutterIconPath: icon('#424242') },
    dark: { gutterIconPath: icon('#c5c5c5') },
    gutterIconSize: 'contain',
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}
