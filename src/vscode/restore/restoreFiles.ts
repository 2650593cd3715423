import * as vscode from 'vscode';
import { EngineFailure } from '../../engine/failures/failures.ts';
import type { RestoreResult, RestorePreview, RestoreTarget } from '../../model/files/restore.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { failureSentences } from '../failures/failureText.ts';
import { inertText, visibleText } from '../text/inertText.ts';
import { openRestoreDiff, openRestoreDiffs } from './restoreDiffs.ts';
import { type RestoreChoice, pickRestore } from './pickRestore.ts';

const { t } = vscode.l10n;

/** Names in a message. */
const maxNamed = 5;
const longestPrompt = 60;

/** `same`: nothing had to be restored. `undefined`: the user cancelled. */
type Outcome = 'restored' | 'same' | undefined;

/** Shows what restoring the files at a prompt would change, and restores them if the user agrees. */
export async function restoreToPrompt(engine: WindowEngine, session: string, entry: number): Promise<Outcome> {
  const handle = await engine.open(session);
  const [prompt] = await handle.read(entry, entry + 1);
  const { project_dir: folder } = handle.summary();
  handle.dispose();
  const [line = ''] = (prompt?.content ?? '').trim().split('\n');
  const words = line.length > longestPrompt ? `${line.slice(0, longestPrompt)}…` : line;
  if (folder === undefined || !(await saveUnsaved(folder))) return undefined;
  return restore(engine, session, { entry }, t('Restore Files to “{0}”', visibleText(words)));
}

async function restore(engine: WindowEngine, session: string, target: RestoreTarget, title: string): Promise<Outcome> {
  const preview = await compare(engine, session, target);
  if (preview.changes.length === 0) {
    void vscode.window.showInformationMessage(nothingText(preview));
    return 'same';
  }
  const isUndo = 'undo' in target;
  const choose = (choice: RestoreChoice): void => {
    if (choice === 'diffs') void openRestoreDiffs(session, preview, title);
    else if (typeof choice !== 'string') void openRestoreDiff(session, preview, choice);
  };
  const chosen = await pickRestore(preview, { title, isUndo }, choose);
  if (chosen === 'undo') return restore(engine, session, { undo: true }, t('Undo the Last Restore'));
  if (chosen !== 'restore') return undefined;
  await apply(engine, session, target, preview.now);
  return 'restored';
}

async function apply(engine: WindowEngine, session: string, target: RestoreTarget, now: string): Promise<void> {
  const progress = { location: vscode.ProgressLocation.Notification, title: t('Restoring files…') };
  const restored = await vscode.window.withProgress(progress, () => engine.restores.restore(session, target, now));
  void report(engine, session, restored, 'undo' in target).catch(showFailure);
}

async function report(engine: WindowEngine, session: string, restored: RestoreResult, isUndo: boolean): Promise<void> {
  const { changes, failed } = restored;
  const count = changes.length - failed.length;
  const done = count === 1 ? t('Restored 1 file.') : t('Restored {0} files.', count);
  const undo = t('Undo');
  const buttons = isUndo ? [] : [undo];
  const chosen = await (failed.length === 0
    ? vscode.window.showInformationMessage(done, ...buttons)
    : vscode.window.showWarningMessage(
        `${done} ${t('These files could not be restored: {0}', namesText(failed))}`,
        ...buttons,
      ));
  if (chosen !== undo) return;
  const { now, changes: back } = await compare(engine, session, { undo: true });
  if (back.length > 0) await apply(engine, session, { undo: true }, now);
}

/** Shows the failure of an undo, which no command awaits. */
function showFailure(error: unknown): void {
  void vscode.window.showErrorMessage(inertText(EngineFailure.is(error) ? failureSentences(error) : String(error)));
}

function compare(engine: WindowEngine, session: string, target: RestoreTarget): Promise<RestorePreview> {
  const progress = { location: vscode.ProgressLocation.Notification, title: t('Comparing files…') };
  return Promise.resolve(vscode.window.withProgress(progress, () => engine.restores.preview(session, target)));
}

/** Only saved files are copied, and can be brought back. Returns false if the user cancelled. */
async function saveUnsaved(folder: string): Promise<boolean> {
  const root = vscode.Uri.file(folder).path.replace(/\/$/, '');
  const unsaved = vscode.workspace.textDocuments.filter(
    ({ uri, isDirty }) => isDirty && uri.scheme === 'file' && uri.path.startsWith(`${root}/`),
  );
  if (unsaved.length === 0) return true;
  const save = t('Save and Continue');
  const chosen = await vscode.window.showWarningMessage(
    unsaved.length === 1 ? t('1 file has unsaved changes.') : t('{0} files have unsaved changes.', unsaved.length),
    {
      modal: true,
      detail: t(
        'Save them first. Vitrine copies the files on disk before it restores, so that you can undo the restore.',
      ),
    },
    save,
  );
  if (chosen !== save) return false;
  const saved = await Promise.all(unsaved.map((document) => document.save()));
  return saved.every(Boolean);
}

function nothingText({ skipped }: RestorePreview): string {
  const same = t('The files already match the copy.');
  if (skipped.length === 0) return same;
  return `${same} ${t('These files will not change: {0}', namesText(skipped.map(({ path }) => path)))}`;
}

function namesText(paths: readonly string[]): string {
  const some = paths.slice(0, maxNamed).map(inertText).join(', ');
  return paths.length > maxNamed ? t('{0} and {1} more', some, paths.length - maxNamed) : some;
}
