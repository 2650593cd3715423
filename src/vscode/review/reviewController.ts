import path from 'node:path';
import * as vscode from 'vscode';
import {
  type NamedHunk,
  type ReviewRange,
  type ReviewedFile,
  SessionReview,
} from '../../engine/review/reviewSession.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import { titleOf } from '../sessions/sessionRow.ts';
import { inertText, visibleText } from '../text/inertText.ts';
import { beforeUri } from './beforeUri.ts';
import { OpenReview, type RevertUndo, type ReviewPlace } from './openReview.ts';
import { offerLenses, ReviewMarks } from './reviewMarks.ts';
import { lineRangeText, originText, rangeOf } from './reviewText.ts';
import { type ReviewNode, ReviewTree } from './reviewTree.ts';

const { t } = vscode.l10n;

const viewId = 'vitrine.changes';

/** Stands for what the tree has selected. */
const selected = 'selection';

/** What a command is about: a change by its key, `selection`, a row of the tree, or where the cursor is. */
export type ReviewTarget = string | ReviewNode | undefined;

/** Changes of one session at a time: the tree, the diffs, and what a person does with each change. */
export class ReviewController implements vscode.Disposable {
  readonly #engines: EngineHost;
  readonly #state: vscode.Memento;
  readonly #tree = new ReviewTree();
  readonly #view: vscode.TreeView<ReviewNode>;
  readonly #marks: ReviewMarks;
  readonly #disposables: readonly { dispose(): unknown }[];
  /** By path: the file's text after a revert that would also discard other changes. */
  readonly #proposedTexts = new Map<string, string>();
  #review: OpenReview | undefined;
  /** The change that was shown last. */
  #lastShownKey: string | undefined;
  /** The change that was reverted last, and the index of the one before it: it has none itself any more. */
  #lastReverted: { readonly key: string; readonly before: number } | undefined;

  constructor(engines: EngineHost, state: vscode.Memento) {
    this.#engines = engines;
    this.#state = state;
    const options = { treeDataProvider: this.#tree, manageCheckboxStateManually: true, showCollapseAll: true };
    this.#view = vscode.window.createTreeView(viewId, options);
    this.#marks = new ReviewMarks(() => this.#review);
    this.#disposables = [
      this.#tree,
      this.#view,
      this.#marks,
      this.#view.onDidChangeCheckboxState(({ items }) => void this.#check(items)),
    ];
  }

  get review(): OpenReview | undefined {
    return this.#review;
  }

  /** Compares the files with what they were before the session, and shows what differs. */
  async open(id: string, range?: ReviewRange): Promise<void> {
    const engine = await this.#engines.get();
    const handle = await engine.open(id);
    if (handle.summary().project_dir === undefined) {
      handle.dispose();
      void vscode.window.showInformationMessage(t('This session has no folder to compare.'));
      return;
    }
    this.#review?.dispose();
    const review = new OpenReview(engine, handle, range ?? { since: 0 });
    this.#review = review;
    this.#lastShownKey = undefined;
    this.#lastReverted = undefined;
    await vscode.commands.executeCommand('setContext', 'vitrine.reviewing', true);
    review.onDidChange(() => this.#show());
    await vscode.window.withProgress({ location: { viewId } }, () => review.load());
    void vscode.commands.executeCommand(`${viewId}.focus`);
    await this.showAll();
    void offerLenses(this.#state);
  }

  async close(): Promise<void> {
    this.#review?.dispose();
    this.#review = undefined;
    this.#show();
    await vscode.commands.executeCommand('setContext', 'vitrine.reviewing', false);
  }

  /** Every file in one editor. */
  async showAll(): Promise<void> {
    const review = this.#review;
    const hasLines = ({ executable }: NamedHunk): boolean => executable === undefined;
    const files = review?.files.filter(({ hunks }) => hunks.some(hasLines)) ?? [];
    if (review === undefined || files.length === 0) return;
    const resources = files.map((file) => {
      const at = vscode.Uri.file(file.place ?? '');
      return [at, this.#originalUri(review, file), file.state === 'missing' ? undefined : at];
    });
    await vscode.commands.executeCommand(
      'vscode.changes',
      t('Changes in {0}', titleOf(review.handle.summary())),
      resources,
    );
  }

  /** A file against what it was, at one of its changes. */
  async show(name: string, key?: string): Promise<void> {
    const review = this.#review;
    const file = review?.files.find((reviewedFile) => reviewedFile.path === name);
    if (review === undefined || file?.place === undefined) return;
    const hunk = file.hunks.find((namedHunk) => namedHunk.key === key) ?? file.hunks[0];
    this.#lastShownKey = hunk?.key;
    const before = this.#originalUri(review, file);
    const now = vscode.Uri.file(file.place);
    if (file.state === 'missing') {
      if (before !== undefined) await vscode.commands.executeCommand('vscode.open', before, { preview: true });
      return;
    }
    const document = await vscode.workspace.openTextDocument(now);
    const selection = hunk === undefined ? undefined : rangeOf(hunk, document.lineCount);
    const options = { preview: true, ...(selection !== undefined && { selection }) };
    if (before === undefined) await vscode.commands.executeCommand('vscode.open', now, options);
    else {
      const title = t('{0} (session changes)', visibleText(path.basename(file.place)));
      await vscode.commands.executeCommand('vscode.diff', before, now, title, options);
    }
  }

  /** Goes to the next unreviewed change, or to the previous one (`-1`). */
  async next(way: 1 | -1): Promise<void> {
    const review = this.#review;
    if (review === undefined) return;
    const places = review.places();
    // In the editor with all changes, the initial position of the cursor is not the user's choice.
    const current =
      this.#lastShownKey === undefined ? undefined : (this.#placeAtCursor()?.hunk.key ?? this.#lastShownKey);
    const position = places.findIndex(({ hunk }) => hunk.key === current);
    const isReverted = current !== undefined && this.#lastReverted?.key === current;
    const from = position === -1 && isReverted ? (this.#lastReverted?.before ?? -1) : position;
    const start = from === -1 && way === -1 ? places.length : from;
    for (let step = 1; step <= places.length; step += 1) {
      const place = places[(start + way * step + 2 * places.length) % places.length];
      if (place === undefined || review.isReviewed(place.hunk)) continue;
      await this.#goToPlace(place);
      return;
    }
    vscode.window.setStatusBarMessage(t('All changes are reviewed'), 3000);
  }

  /** Marks changes as reviewed, or those that are as not reviewed. */
  async keep(target: ReviewTarget): Promise<void> {
    const review = this.#review;
    const node = this.#findNode(target);
    if (review === undefined) return;
    if (node === undefined) {
      showNoChange();
      return;
    }
    const hunks = node.hunk === undefined ? node.file.hunks : [node.hunk];
    const reviewed = !hunks.every((hunk) => review.isReviewed(hunk));
    await review.mark(node.file, hunks, reviewed);
    if (reviewed && target === undefined) await this.next(1);
  }

  async revert(target: ReviewTarget): Promise<void> {
    const review = this.#review;
    const node = this.#findNode(target);
    if (review === undefined) return;
    if (node?.hunk === undefined) {
      showNoChange();
      return;
    }
    const place = { file: node.file, hunk: node.hunk };
    const { key } = node.hunk;
    this.#lastReverted = { key, before: review.places().findIndex(({ hunk }) => hunk.key === key) - 1 };
    if (target === undefined) this.#lastShownKey = key;
    const outcome = await review.revert(place);
    if (outcome.kind === 'reverted') this.#showReverted(place, outcome.undo);
    else if (outcome.kind === 'conflict') await this.#showConflict(review, place, outcome);
    else {
      const name = visibleText(path.basename(node.file.path));
      const message =
        outcome.kind === 'unsaved'
          ? t('{0} has unsaved changes. Save it to revert changes in it.', name)
          : t('{0} changed since these changes were compared. Review them again before you revert one.', name);
      void vscode.window.showWarningMessage(message);
    }
    if (outcome.kind === 'reverted' && target === undefined) await this.next(1);
  }

  /** The last revert, or this one. */
  async undo(which?: RevertUndo): Promise<void> {
    const done = await this.#review?.undo(which);
    if (done === undefined) void vscode.window.showInformationMessage(t('There is no revert to undo.'));
    else if (done) vscode.window.setStatusBarMessage(t('Change restored'), 3000);
    else void vscode.window.showWarningMessage(t('The file changed since the revert, so Vitrine left it as it is.'));
  }

  /** The left side of a diff: of the open review, or of one that a window brings back. */
  async textBefore(uri: vscode.Uri): Promise<string> {
    const query = new URLSearchParams(uri.query);
    const [session, name] = [query.get('session') ?? '', query.get('file') ?? ''];
    if (query.has('proposed')) return this.#proposedTexts.get(name) ?? '';
    const open = this.#review?.id === session ? this.#review.files : await this.#filesOf(session, query);
    const lines = open.find((file) => file.path === name)?.review?.before;
    return lines?.join('\n') ?? '';
  }

  dispose(): void {
    this.#review?.dispose();
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #filesOf(session: string, query: URLSearchParams): Promise<readonly ReviewedFile[]> {
    const handle = await (await this.#engines.get()).open(session);
    try {
      const range = { since: Number(query.get('since')) };
      const review = new SessionReview(handle.summary().project_dir ?? '', range);
      await review.take(handle, handle.entryCount());
      return (await review.review()).files;
    } finally {
      handle.dispose();
    }
  }

  #originalUri(review: OpenReview, file: ReviewedFile): vscode.Uri | undefined {
    const lines = file.review?.before;
    if (lines === undefined || lines === null) return undefined;
    return beforeUri(file.place ?? file.path, {
      session: review.id,
      since: String(review.range.since),
      file: file.path,
    });
  }

  async #check(items: readonly (readonly [ReviewNode, vscode.TreeItemCheckboxState])[]): Promise<void> {
    for (const [{ file, hunk }, state] of items) {
      const hunks = hunk === undefined ? file.hunks : [hunk];
      await this.#review?.mark(file, hunks, state === vscode.TreeItemCheckboxState.Checked);
    }
  }

  #findNode(target: ReviewTarget): ReviewNode | undefined {
    if (typeof target === 'object') return target;
    if (target === selected) return this.#view.selection[0];
    if (target === undefined) return this.#placeAtCursor();
    return this.#review?.places().find(({ hunk }) => hunk.key === target);
  }

  #placeAtCursor(): ReviewPlace | undefined {
    const editor = vscode.window.activeTextEditor;
    const file = editor === undefined ? undefined : this.#review?.fileOf(editor.document.uri);
    if (editor === undefined || file === undefined) return undefined;
    const { lineCount } = editor.document;
    const line = editor.selection.active.line;
    const hunksAtLine = file.hunks.filter((namedHunk) => {
      const range = rangeOf(namedHunk, lineCount);
      return range.start.line <= line && line <= range.end.line;
    });
    // A change of permissions is where the first lines are, too.
    const hunk = hunksAtLine.find(({ key }) => key === this.#lastShownKey) ?? hunksAtLine[0];
    return hunk === undefined ? undefined : { file, hunk };
  }

  async #goToPlace({ file, hunk }: ReviewPlace): Promise<void> {
    await this.show(file.path, hunk.key);
    const node = this.#tree.node(file, hunk);
    if (node === undefined || !this.#view.visible) return;
    // The tree may have been redrawn with other rows meanwhile.
    await this.#view.reveal(node, { select: true, focus: false }).then(undefined, () => undefined);
  }

  #showReverted({ file, hunk }: ReviewPlace, revertUndo: RevertUndo): void {
    const undo = t('Undo');
    const message = t('Reverted in {0}: {1}', inertText(path.basename(file.path)), lineRangeText(hunk));
    void vscode.window.showInformationMessage(message, undo).then((chosen) => {
      if (chosen === undo) void this.undo(revertUndo);
    });
  }

  async #showConflict(
    review: OpenReview,
    place: ReviewPlace,
    { reason, text }: { readonly reason: 'mixed' | 'uncertain'; readonly text: string | null },
  ): Promise<void> {
    const { file, hunk } = place;
    const name = visibleText(path.basename(file.path));
    if (text !== null && file.place !== undefined) {
      this.#proposedTexts.set(file.path, text);
      const proposed = beforeUri(file.place ?? file.path, { session: review.id, file: file.path, proposed: hunk.key });
      const title = t('{0} (now ↔ after the revert)', name);
      await vscode.commands.executeCommand('vscode.diff', vscode.Uri.file(file.place), proposed, title, {
        preview: true,
      });
    }
    const anyway = text === null ? t('Delete the File') : t('Revert Anyway');
    const message =
      reason === 'mixed'
        ? t('{0}: these lines were also changed without a tool call. Reverting discards those changes, too.', name)
        : t('The record does not show whether {0} existed before. Reverting deletes it.', name);
    const detail = `${lineRangeText(hunk)}: ${originText(review.session, hunk)}`;
    void vscode.window.showWarningMessage(`${message} ${inertText(detail)}`, anyway).then(async (chosen) => {
      if (chosen !== anyway || this.#review !== review) return;
      const outcome = await review.revert(place, true);
      if (outcome.kind === 'reverted') this.#showReverted(place, outcome.undo);
    });
  }

  #show(): void {
    const review = this.#review;
    this.#tree.show(review);
    this.#marks.renew();
    void vscode.commands.executeCommand('setContext', 'vitrine.canUndoRevert', review?.canUndo === true);
    if (review === undefined) return;
    const hunks = review.places().map(({ hunk }) => hunk);
    const reviewed = hunks.filter((hunk) => review.isReviewed(hunk)).length;
    this.#view.description = t('{0} of {1} reviewed', reviewed, hunks.length);
    this.#view.badge = hunks.length === reviewed ? undefined : badge(hunks.length - reviewed);
    this.#view.message = messageOf(review, hunks.length);
  }
}

function showNoChange(): void {
  vscode.window.setStatusBarMessage(t('Place the cursor on a change, or select one in the Changes view'), 5000);
}

function badge(count: number): vscode.ViewBadge {
  return { value: count, tooltip: count === 1 ? t('1 change to review') : t('{0} changes to review', count) };
}

function messageOf(review: OpenReview, hunks: number): string {
  const lost = review.files.some((file) => (file.review?.lost.length ?? 0) > 0);
  const parts = [
    review.files.length === 0 ? t('The session left no changes in the files.') : '',
    review.omitted > 0 ? t('{0} more files changed.', review.omitted) : '',
    lost && hunks > 0 ? t('Some edits could not be tracked. Their changes may be listed as not reported.') : '',
    review.isRecorded || hunks === 0
      ? ''
      : t('Your review will not be saved, because another program owns the session.'),
  ].filter((part) => part !== '');
  return parts.join(' ');
}
