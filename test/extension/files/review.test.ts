import assert from 'node:assert/strict';
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { type ReviewedFile, SessionReview } from '../../../src/engine/review/reviewSession.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import { seedStore } from '../../e2e/seed.ts';
import { copyFiles } from '../../support/sessions/copyFiles.ts';
import { call, reads, said, unreportedNote } from '../../support/sessions/madeEntries.ts';
import { reviewSession, textAfter, textBefore } from '../../support/sessions/reviewSession.ts';
import { record, storeFolder, until } from '../shell.ts';

const run = <T>(command: string, ...args: unknown[]): Thenable<T> =>
  vscode.commands.executeCommand<T>(`vitrine.${command}`, ...args);
const id = 'ses_000000000000';

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): { init(root: vscode.Uri): Promise<unknown> };
}

describe('files that a session deleted and made executable', function () {
  const mode = 0o750;
  const text = '\uFEFFfirst\r\nsecond\r\nthird';
  let root: string;
  let file: string;
  let script: string;

  before(async () => {
    root = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
    file = path.join(root, 'deleted.txt');
    script = path.join(root, 'made-executable.sh');
    const extent = { startLine: 1, totalLines: 3 };
    const entries = [
      said(0, 'Remove it.', 'user_message'),
      call(1, reads(file, extent), { toolName: 'Read', result: { text: '1\tfirst\n2\tsecond\n3\tthird' } }),
      call(2, { kind: 'file_edit', changes: [{ path: file, kind: 'delete' }] }, { toolName: 'Delete' }),
      unreportedNote(3, [{ path: path.basename(script), kind: 'changed', mode: { executable: true, only: true } }]),
    ];
    const seed = { title: 'Remove a file', daysAgo: 0, usd: 0.2, turns: 1, seconds: 30, entries };
    await seedStore(await storeFolder(), root, [seed]);
    await writeFile(file, text);
    await chmod(file, mode);
    await copyFiles(await storeFolder(), { id, folder: root }, 0);
    await rm(file);
    await writeFile(script, 'echo done\n');
    await chmod(script, 0o755);
    await run('rebuildIndex');
    await run('reviewChanges', id);
  });
  after(async () => {
    await run('closeChanges');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const name of [file, script]) await rm(name, { force: true });
    await rm(path.join(await storeFolder(), 'sessions', id), { recursive: true, force: true });
    await run('rebuildIndex');
  });

  it('come back byte for byte with their permissions, although the session saw only lines, and go again', async () => {
    const deleted = await reviewed('deleted.txt');
    await run('revertChange', deleted?.hunks[0]?.key);
    assert.equal(await readFile(file, 'utf8'), text);
    if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o777, mode);
    await run('undoRevert');
    await assert.rejects(readFile(file), { code: 'ENOENT' });
    await vscode.commands.executeCommand('notifications.clearAll');
  });

  it('get back their permissions alone, and lose them again', async function () {
    // Windows has none.
    if (process.platform === 'win32') this.skip();
    const mode = async (): Promise<number> => (await stat(script)).mode & 0o777;
    const changed = await reviewed(path.basename(script));
    assert.deepEqual(
      changed?.hunks.map(({ executable }) => executable),
      [true],
    );
    await run('revertChange', changed.hunks[0]?.key);
    assert.equal(await mode(), 0o644);
    assert.equal(await readFile(script, 'utf8'), 'echo done\n');
    await run('undoRevert');
    assert.equal(await mode(), 0o755);
    await vscode.commands.executeCommand('notifications.clearAll');
  });

  async function reviewed(name: string): Promise<ReviewedFile | undefined> {
    const review = new SessionReview(root);
    await review.take({ entryCount: () => 4, read: () => readEntries() }, 4);
    return (await review.review()).files.find((reviewedFile) => reviewedFile.path === name);
  }

  async function readEntries(): Promise<readonly NormalizedEntry[]> {
    return (await record(id)).flatMap(({ kind, entry }) => (kind === 'entry' ? [entry as NormalizedEntry] : []));
  }
});

describe('the changes of a session', function () {
  let fixture: Awaited<ReturnType<typeof reviewSession>>;
  let folder: string;

  /** Lenses of the changes in a file, in order: Keep or Reviewed, Revert, and who made it. */
  const lenses = async (file: string): Promise<vscode.CodeLens[]> => {
    const uri = vscode.Uri.file(file);
    await vscode.workspace.openTextDocument(uri);
    const all = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 100);
    return all.filter(({ command }) => command?.command.startsWith('vitrine.') === true);
  };
  const keysOf = async (file: string): Promise<string[]> =>
    (await lenses(file)).flatMap(({ command }) =>
      command?.command === 'vitrine.revertChange' ? [String(command.arguments?.[0])] : [],
    );
  const titles = async (file: string): Promise<string[]> =>
    (await lenses(file)).map(({ command }) => command?.title.replace(/^\$\([a-z-]+\) /, '') ?? '');
  const text = (file: string) => readFile(file, 'utf8');
  const decisions = async (): Promise<unknown[]> =>
    (await record(id)).flatMap(({ kind, decision }) =>
      kind === 'decision' && (decision as { type: string }).type === 'review' ? [(decision as { to: string }).to] : [],
    );
  const cursor = (): readonly [file: string, line: number] | undefined => {
    const editor = vscode.window.activeTextEditor;
    return editor && [path.basename(editor.document.uri.fsPath), editor.selection.active.line];
  };

  before(async () => {
    const root = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
    folder = path.join(root, 'reviewed');
    fixture = await reviewSession(folder, 4);
    const seed = { title: 'Double values', daysAgo: 0, usd: 0.2, turns: 1, seconds: 30, entries: fixture.entries };
    await seedStore(await storeFolder(), root, [seed]);
    await run('rebuildIndex');
    await run('reviewChanges', id);
  });
  after(async () => {
    await run('closeChanges');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(folder, { recursive: true, force: true });
    await rm(path.join(await storeFolder(), 'sessions', id), { recursive: true, force: true });
    await run('rebuildIndex');
    // Last: VS Code's git extension fails if it still looks for ignored files in a repository that is gone.
    await rm(path.join(vscode.workspace.workspaceFolders![0]!.uri.fsPath, '.git'), { recursive: true, force: true });
  });

  it('open in one editor, with the step of each change', async () => {
    await until('an editor with all changes', () =>
      vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(({ label }) => label.includes('Double values')),
    );
    const [first = ''] = fixture.files;
    assert.deepEqual(
      await titles(first),
      [2, 3, 4].flatMap((step) => [
        'Keep',
        'Revert',
        `Step ${step} · Edit · Double the values at the places that matter.`,
      ]),
    );
    const [hover] = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      vscode.Uri.file(first),
      new vscode.Position(4, 2),
    );
    const [about, links] = hover?.contents as vscode.MarkdownString[];
    assert.match(about?.value ?? '', /Step 2 · Edit/);
    assert.ok(about?.isTrusted !== true);
    assert.match(links?.value ?? '', /Keep.*Revert.*Show Step.*Show Prompt/);
  });

  it('are reverted one by one, and restored byte for byte', async () => {
    const [, second = ''] = fixture.files;
    const [, middle = ''] = await keysOf(second);
    await run('revertChange', middle);
    assert.equal(await text(second), textAfter.replace('14 * 2', '14'));
    assert.deepEqual((await keysOf(second)).length, 2);
    await run('undoRevert');
    assert.equal(await text(second), textAfter);
    assert.deepEqual((await keysOf(second)).length, 3);
    assert.deepEqual(await decisions(), ['reverted', 'restored']);
  });

  it('keep later text, and leave a file that changed since the comparison', async () => {
    const [, , third = ''] = fixture.files;
    const [key = ''] = await keysOf(third);
    const later = `// mine\n${textAfter}`;
    await writeFile(third, later);
    await run('revertChange', key);
    assert.equal(await text(third), later, 'it was not compared in this form');
    await until('the new text', async () => ((await keysOf(third)).length === 4 ? true : undefined));
    await run('revertChange', key);
    assert.equal(await text(third), later.replace('4 * 2', '4'));
    await run('undoRevert');
    await writeFile(third, textAfter);
    await until('the old text', async () => ((await keysOf(third)).length === 3 ? true : undefined));
  });

  it('warn about what a revert would lose, and leave it', async () => {
    const [, , third = ''] = fixture.files;
    const mixed = textAfter.replace('4 * 2', '4 * 3');
    await writeFile(third, mixed);
    const [, , origin = ''] = await until('the mixed change', async () => {
      const found = await titles(third);
      return found[2]?.includes('unreported') ? found : undefined;
    });
    assert.match(origin, /^Step 10 · Edit · and an unreported change/);
    const [key = ''] = await keysOf(third);
    await run('revertChange', key);
    assert.equal(await text(third), mixed);
    const right = await until('the text that a revert would give', () =>
      vscode.workspace.textDocuments.find(
        ({ uri }) => uri.scheme === 'vitrine-before' && uri.query.includes('proposed'),
      ),
    );
    assert.equal(right.getText(), mixed.replace('4 * 3', '4'));
    await writeFile(third, textAfter);
    await until('the old text', async () => ((await titles(third))[2]?.includes('unreported') ? undefined : true));
  });

  it('can be reviewed by commands only: three reverted, nine kept, all recorded', async () => {
    const places: (readonly [string, number] | undefined)[] = [];
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await run('nextChange');
    for (let at = 0; at < 12; at += 1) {
      const place = await until('the next change', () => {
        const found = cursor();
        return found !== undefined && String(found) !== String(places.at(-1)) ? found : undefined;
      });
      places.push(place);
      await run(at % 4 === 0 ? 'revertChange' : 'keepChange');
    }
    const reverted = await Promise.all(fixture.files.map(text));
    assert.equal(reverted.filter((file) => file === textAfter).length, 1);
    assert.deepEqual(
      reverted.map((file) => file.match(/\* 2/g)?.length),
      [2, 2, 2, 3],
    );
    const reviewed = (await decisions()).filter((to) => to === 'reviewed');
    assert.equal(reviewed.length, 9);
    await run('reviewChanges', id);
    const all = await Promise.all(fixture.files.map(titles));
    assert.deepEqual([...new Set(all.flat().filter((title) => /^(?:Keep|Reviewed)$/.test(title)))], ['Reviewed']);
    const [first = ''] = fixture.files;
    await writeFile(first, (await text(first)).replace('14 * 2', '14 * 5'));
    await until('the change that is another one now', async () =>
      (await titles(first)).includes('Keep') ? true : undefined,
    );
    assert.equal((await titles(first)).filter((title) => title === 'Reviewed').length, 1);
  });

  it('are undone by restoring the files at a prompt', async () => {
    const root = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
    const [first = '', second = ''] = fixture.files;
    const added = path.join(folder, 'added.js');
    await writeFile(first, textBefore);
    await copyFiles(await storeFolder(), { id, folder: root }, 0);
    await writeFile(first, textAfter);
    await rm(second);
    await writeFile(added, 'later\n');
    const restoring = run<boolean>('restoreFiles', id, 0);
    await until('the restored file', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return (await text(first)) === textBefore ? true : undefined;
    });
    assert.equal(await restoring, true);
    assert.match(await text(second), /value0/);
    await assert.rejects(text(added), { code: 'ENOENT' });
    assert.equal(await run('restoreFiles', id, 0), false, 'nothing is left to restore');
    const restored = await until('the restore in the record', async () =>
      (await record(id))
        .map(({ decision }) => decision as Record<string, unknown> | undefined)
        .findLast((decision) => decision?.['type'] === 'restore'),
    );
    const { entry, changed, created, deleted } = restored;
    assert.deepEqual([entry, changed, created, deleted], [0, 1, 1, 1]);
    await vscode.commands.executeCommand('notifications.clearAll');
  });

  it('can be linked in the commit message', async () => {
    const root = vscode.workspace.workspaceFolders![0]!.uri;
    await vscode.workspace.getConfiguration('git').update('enabled', true, vscode.ConfigurationTarget.Global);
    const git = await vscode.extensions.getExtension<GitExtension>('vscode.git')?.activate();
    assert.ok(git !== undefined);
    await until('git', () => git.enabled);
    const api = git.getAPI(1);
    const repository = (await api.init(root)) as { inputBox: { value: string } };
    repository.inputBox.value = 'Double values';
    await run('addSessionTrailer');
    assert.match(
      repository.inputBox.value,
      new RegExp(`^Double values\n\nVitrine-Session: [a-z-]+://vitrine\\.vitrine/session/${id}$`),
    );
    await vscode.workspace.getConfiguration('git').update('enabled', undefined, vscode.ConfigurationTarget.Global);
  });
});
