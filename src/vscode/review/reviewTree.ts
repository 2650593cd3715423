import path from 'node:path';
import * as vscode from 'vscode';
import type { NamedHunk, ReviewedFile } from '../../engine/review/reviewSession.ts';
import { visibleText } from '../text/inertText.ts';
import type { OpenReview } from './openReview.ts';
import { lineRangeText, originHover, originText, promptLine } from './reviewText.ts';

const { t } = vscode.l10n;

/** A changed file, or one change in it. */
export interface ReviewNode {
  readonly file: ReviewedFile;
  readonly hunk?: NamedHunk;
}

/** Changed files and the changes in each, each with a check box for *reviewed*. */
export class ReviewTree implements vscode.TreeDataProvider<ReviewNode> {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  #review: OpenReview | undefined;
  #nodes = new Map<string, ReviewNode>();

  show(review: OpenReview | undefined): void {
    this.#review = review;
    // The same change stays the same row.
    const nodes = new Map<string, ReviewNode>();
    for (const file of review?.files ?? []) {
      nodes.set(file.path, { file });
      for (const hunk of file.hunks) nodes.set(`${file.path} ${hunk.key}`, { file, hunk });
    }
    this.#nodes = nodes;
    this.#changed.fire();
  }

  node(file: ReviewedFile, hunk?: NamedHunk): ReviewNode | undefined {
    return this.#nodes.get(hunk === undefined ? file.path : `${file.path} ${hunk.key}`);
  }

  getChildren(node?: ReviewNode): ReviewNode[] {
    if (node?.hunk !== undefined) return [];
    const found =
      node === undefined
        ? (this.#review?.files.map((file) => this.node(file)) ?? [])
        : node.file.hunks.map((hunk) => this.node(node.file, hunk));
    return found.filter((reviewNode) => reviewNode !== undefined);
  }

  getParent({ file, hunk }: ReviewNode): ReviewNode | undefined {
    return hunk === undefined ? undefined : this.node(file);
  }

  getTreeItem({ file, hunk }: ReviewNode): vscode.TreeItem {
    return hunk === undefined ? this.#createFileItem(file) : this.#createHunkItem(file, hunk);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #createFileItem(file: ReviewedFile): vscode.TreeItem {
    const { hunks, place, renamedFrom, state } = file;
    const state_ = hunks.length === 0 ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Expanded;
    const item = new vscode.TreeItem(visibleText(path.posix.basename(file.path)), state_);
    item.id = file.path;
    const folder = path.posix.dirname(file.path);
    const notes = [
      folder === '.' ? '' : visibleText(folder),
      renamedFrom === undefined ? '' : t('renamed from {0}', visibleText(renamedFrom)),
      state === 'missing' && hunks.length > 0 ? t('deleted') : stateText(file),
    ];
    item.description = notes.filter((note) => note !== '').join(' · ');
    item.contextValue = hunks.length === 0 ? 'fileOnly' : 'file';
    if (place !== undefined) item.resourceUri = vscode.Uri.file(place);
    item.iconPath = vscode.ThemeIcon.File;
    if (hunks.length === 0) return item;
    const reviewed = hunks.every((hunk) => this.#review?.isReviewed(hunk));
    item.checkboxState = checkbox(reviewed, visibleText(file.path));
    item.command = { title: t('Show Changes'), command: 'vitrine.showChanges', arguments: [file.path] };
    return item;
  }

  #createHunkItem(file: ReviewedFile, hunk: NamedHunk): vscode.TreeItem {
    const review = this.#review;
    const item = new vscode.TreeItem(lineRangeText(hunk));
    item.id = `${file.path} ${hunk.key}`;
    item.contextValue = 'hunk';
    if (review === undefined) return item;
    item.description = [originText(review.session, hunk), promptLine(review.session, hunk)].filter(Boolean).join(' · ');
    [item.tooltip] = originHover(review, { file, hunk });
    const [gone, come] = [hunk.base[1] - hunk.base[0], hunk.now[1] - hunk.now[0]];
    item.iconPath = new vscode.ThemeIcon(gone === 0 ? 'diff-added' : come === 0 ? 'diff-removed' : 'diff-modified');
    item.checkboxState = checkbox(review.isReviewed(hunk), lineRangeText(hunk));
    item.command = { title: t('Show Change'), command: 'vitrine.showChanges', arguments: [file.path, hunk.key] };
    return item;
  }
}

/** Why a file has no changes to show. */
export function stateText({ state, hunks, renamedFrom }: ReviewedFile): string {
  switch (state) {
    case 'missing':
      return t('deleted; its earlier text is not recorded');
    case 'binary':
      return t('not UTF-8 text');
    case 'tooLarge':
      return t('too large to compare');
    case 'outside':
      return t('outside the session’s folder');
    case 'unreadable':
      return t('cannot be read');
    case 'unrecorded':
      return t('changed without a tool call; its earlier text is not recorded');
    default:
      if (hunks.length === 0 && renamedFrom !== undefined) return '';
      return hunks.length === 1 ? t('1 change') : t('{0} changes', hunks.length);
  }
}

function checkbox(reviewed: boolean, name: string): NonNullable<vscode.TreeItem['checkboxState']> {
  return {
    state: reviewed ? vscode.TreeItemCheckboxState.Checked : vscode.TreeItemCheckboxState.Unchecked,
    tooltip: reviewed ? t('Reviewed') : t('Mark as reviewed'),
    accessibilityInformation: { label: t('Reviewed: {0}', name), role: 'checkbox' },
  };
}
