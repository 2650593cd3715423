import path from 'node:path';
import * as vscode from 'vscode';
import { changeFile, changeMode, type FileUndo, undoChange } from '../../engine/review/changeFile.ts';
import {
  type NamedHunk,
  type ReviewedFile,
  type ReviewRange,
  SessionReview,
} from '../../engine/review/reviewSession.ts';
import { haveSameLines } from '../../insight/review/fileText.ts';
import { revertHunk } from '../../insight/review/reviewFile.ts';
import type { ReviewDecision } from '../../model/files/review.ts';
import type { SessionHandle, WindowEngine } from '../engine/windowEngine.ts';

/** Milliseconds of quiet before the files are compared again. */
const pause = 250;
/** Reverts that can be undone. */
const maxUndos = 200;

/** A hunk and the file it is in. */
export interface ReviewPlace {
  readonly file: ReviewedFile;
  readonly hunk: NamedHunk;
}

/** A revert that can be undone. */
export interface RevertUndo {
  readonly undo: FileUndo;
  readonly path: string;
  readonly key: string;
}

/** Why a hunk was not reverted. */
export type RevertOutcome =
  | { readonly kind: 'reverted'; readonly undo: RevertUndo }
  /** The file is not the one that was reviewed, or has unsaved changes. */
  | { readonly kind: 'changed' | 'unsaved' }
  /** Reverting would give the file this text, and lose something else with it. */
  | { readonly kind: 'conflict'; readonly reason: 'mixed' | 'uncertain'; readonly text: string | null };

interface DeletedCopy {
  readonly text?: string;
  /** Permissions. */
  readonly mode?: number;
}

/** The changes of one session as they are now, what was reviewed of them, and what was reverted. */
export class OpenReview implements vscode.Disposable {
  readonly session: SessionReview;
  readonly range: ReviewRange;
  readonly #handle: SessionHandle;
  readonly #engine: WindowEngine;
  readonly #reviewedKeys = new Set<string>();
  readonly #undoStack: RevertUndo[] = [];
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #disposables: readonly { dispose(): unknown }[];
  readonly onDidChange = this.#changed.event;
  files: readonly ReviewedFile[] = [];
  omitted = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastRefresh: Promise<void> = Promise.resolve();

  constructor(engine: WindowEngine, handle: SessionHandle, range: ReviewRange) {
    const folder = handle.summary().project_dir ?? '';
    this.#engine = engine;
    this.#handle = handle;
    this.range = range;
    this.session = new SessionReview(folder, range);
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, '**/*'));
    const look = (uri: vscode.Uri): void => this.#refreshIfReviewed(uri);
    this.#disposables = [
      watcher,
      watcher.onDidChange(look),
      watcher.onDidCreate(() => this.#scheduleRefresh()),
      watcher.onDidDelete(() => this.#scheduleRefresh()),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#refreshIfReviewed(uri)),
      handle.onUpdates(() => this.#scheduleRefresh()),
    ];
  }

  get id(): string {
    return this.#handle.id;
  }

  get handle(): SessionHandle {
    return this.#handle;
  }

  /** Sessions from other programs have no record of Vitrine's: what was reviewed is known in this window alone. */
  get isRecorded(): boolean {
    return this.#handle.summary().observed === undefined;
  }

  get canUndo(): boolean {
    return this.#undoStack.length > 0;
  }

  places(): ReviewPlace[] {
    return this.files.flatMap((file) => file.hunks.map((hunk) => ({ file, hunk })));
  }

  isReviewed({ key }: NamedHunk): boolean {
    return this.#reviewedKeys.has(key);
  }

  fileOf(uri: vscode.Uri): ReviewedFile | undefined {
    if (uri.scheme !== 'file') return undefined;
    return this.files.find(({ place }) => place !== undefined && vscode.Uri.file(place).fsPath === uri.fsPath);
  }

  /** Reads the record and the files. */
  async load(): Promise<void> {
    const marks = this.isRecorded ? this.#engine.archive.reviews(this.id) : Promise.resolve([]);
    await this.refresh();
    for (const { to, keys } of await marks) {
      for (const key of keys) {
        if (to === 'reviewed') this.#reviewedKeys.add(key);
        else this.#reviewedKeys.delete(key);
      }
    }
    this.#changed.fire();
  }

  /** Compares the files again, one time after the other. */
  refresh(): Promise<void> {
    const next = this.#lastRefresh.then(async () => {
      const settled = Math.min(this.#handle.entryCount(), ...this.#handle.openIndexes());
      await this.session.take(this.#handle, settled);
      const { files, omitted } = await this.session.review();
      this.files = files;
      this.omitted = omitted;
      this.#changed.fire();
    });
    this.#lastRefresh = next.catch(() => undefined);
    return next;
  }

  async mark(file: ReviewedFile, hunks: readonly NamedHunk[], reviewed: boolean): Promise<void> {
    const keys = hunks.map(({ key }) => key);
    for (const key of keys) {
      if (reviewed) this.#reviewedKeys.add(key);
      else this.#reviewedKeys.delete(key);
    }
    this.#changed.fire();
    await this.#recordDecision(file.path, keys, reviewed ? 'reviewed' : 'open');
  }

  /** `force`: although it would lose something else. @throws file system errors */
  async revert({ file, hunk }: ReviewPlace, force = false): Promise<RevertOutcome> {
    const { place, review, hash } = file;
    if (place !== undefined && hunk.executable !== undefined)
      return this.#recordRevert(file, hunk, await changeMode(place, !hunk.executable));
    if (place === undefined || review === undefined || hash === undefined) return { kind: 'changed' };
    const unsaved = vscode.workspace.textDocuments.some(
      ({ uri, isDirty }) => isDirty && uri.scheme === 'file' && uri.fsPath === vscode.Uri.file(place).fsPath,
    );
    if (unsaved) return { kind: 'unsaved' };
    const reverted = revertHunk(review, hunk);
    if ('conflict' in reverted && !force) {
      return { kind: 'conflict', reason: reverted.conflict, text: reverted.text };
    }
    const copy = file.state === 'missing' ? await this.#copyOf(place, reverted.text) : undefined;
    return this.#recordRevert(
      file,
      hunk,
      await changeFile(place, hash, copy?.text ?? reverted.text, copy?.mode ?? null),
    );
  }

  async #recordRevert(file: ReviewedFile, hunk: NamedHunk, undo: FileUndo | undefined): Promise<RevertOutcome> {
    if (undo === undefined) {
      await this.refresh();
      return { kind: 'changed' };
    }
    const revertUndo = { undo, path: file.path, key: hunk.key };
    this.#undoStack.push(revertUndo);
    if (this.#undoStack.length > maxUndos) this.#undoStack.shift();
    await this.refresh();
    await this.#recordDecision(file.path, [hunk.key], 'reverted');
    return { kind: 'reverted', undo: revertUndo };
  }

  /** Undoes this revert, or the last one; `false`: its file changed since. `undefined`: there is none. @throws file system errors */
  async undo(which = this.#undoStack.at(-1)): Promise<boolean | undefined> {
    const at = which === undefined ? -1 : this.#undoStack.indexOf(which);
    if (which === undefined || at === -1) return undefined;
    this.#undoStack.splice(at, 1);
    const done = await undoChange(which.undo);
    await this.refresh();
    if (done) await this.#recordDecision(which.path, [which.key], 'restored');
    return done;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
    this.#handle.dispose();
    this.#changed.dispose();
  }

  /**
   * A deleted file in the copy of files before the review began. `text`: if it has the lines of `recorded`, because the record
   * knows no byte order mark and not which line breaks there were.
   */
  async #copyOf(place: string, recorded: string | null): Promise<DeletedCopy> {
    const entry = this.range.since === 0 ? this.session.prompts[0]?.index : this.range.since;
    if (recorded === null || entry === undefined || !this.isRecorded) return {};
    try {
      const { restores } = this.#engine;
      const { folder, changes } = await restores.preview(this.id, { entry });
      const { after, permissions } = changes.find((change) => path.join(folder, change.path) === place) ?? {};
      const text = after === undefined ? null : await restores.content(this.id, after);
      return {
        ...(text !== null && haveSameLines(text, recorded) && { text }),
        ...(permissions !== undefined && { mode: permissions }),
      };
    } catch {
      // There is no copy, or the folder is not trusted.
      return {};
    }
  }

  async #recordDecision(file: string, keys: string[], to: ReviewDecision['to']): Promise<void> {
    if (!this.isRecorded) return;
    const decision: ReviewDecision = { type: 'review', at: new Date().toISOString(), path: file, keys, to };
    await this.#engine.archive.noteReview(this.id, decision);
  }

  #refreshIfReviewed(uri: vscode.Uri): void {
    if (this.fileOf(uri) !== undefined) this.#scheduleRefresh();
  }

  #scheduleRefresh(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh().catch(() => undefined), pause);
  }
}
