import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { failures } from '../../../src/engine/failures/failures.ts';
import { openSessionLink } from '../../../src/vscode/sessions/sessionLinkHandler.ts';
import { seedStore } from '../../e2e/seed.ts';
import { leaked, type LineSession, lineSession } from '../../support/sessions/lineSession.ts';
import { sessionTabs, storeFolder, until } from '../shell.ts';

const run = <T>(command: string, ...args: unknown[]): Thenable<T> =>
  vscode.commands.executeCommand<T>(`vitrine.${command}`, ...args);
const title = 'Discounts $(trash) [x](command:workbench.action.quit)';
const id = 'ses_000000000000';

describe('lines of files and the sessions they come from', function () {
  let fixture: LineSession;
  let document: vscode.TextDocument;

  const enable = (on: boolean): Thenable<void> =>
    vscode.workspace
      .getConfiguration('vitrine')
      .update('lineHistory.enabled', on ? true : undefined, vscode.ConfigurationTarget.Global);
  const hovers = async (line: number): Promise<vscode.MarkdownString[]> => {
    const at = new vscode.Position(line, 4);
    const found = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, at);
    // The language's own hovers may be there, too.
    const texts = ({ contents }: vscode.Hover): vscode.MarkdownString[] =>
      contents.filter((content): content is vscode.MarkdownString => content instanceof vscode.MarkdownString);
    return found.map(texts).find(([first]) => first?.value.includes('Why is this line here') === true) ?? [];
  };
  const lenses = async (): Promise<vscode.CodeLens[]> => {
    const all = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
      50,
    );
    return all.filter(({ command }) => command?.command === 'vitrine.openEntry');
  };

  before(async () => {
    const root = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
    const file = path.join(root, 'src/bill.js');
    fixture = lineSession(root, await readFile(file, 'utf8'));
    const seed = { title, daysAgo: 0, usd: 0.2, turns: 1, seconds: 30, entries: fixture.entries };
    await seedStore(await storeFolder(), root, [seed]);
    await run('rebuildIndex');
    document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document);
  });
  after(async () => {
    await enable(false);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.window.tabGroups.close(sessionTabs());
    await rm(path.join(await storeFolder(), 'sessions', id), { recursive: true, force: true });
    await run('rebuildIndex');
  });

  it('have no marks if the setting is off', async () => {
    assert.deepEqual(await hovers(fixture.written), []);
    assert.deepEqual(await lenses(), []);
  });

  it('show prompt and step of a changed line in a hover, as plain text', async () => {
    await enable(true);
    const [text, links, ...others] = await until('a hover', async () => {
      const found = await hovers(fixture.written);
      return found.length > 0 ? found : undefined;
    });
    assert.ok(text !== undefined && links !== undefined && others.length === 0);
    assert.match(text.value, /Why is this line here\\\?/);
    assert.match(text.value, /Claude Code 2\\\.1\\\.328/);
    assert.match(text.value, /Give the discount/);
    assert.ok(
      text.isTrusted !== true && (typeof text.isTrusted !== 'object' || text.isTrusted.enabledCommands.length === 0),
    );
    assert.notEqual(text.supportHtml, true);
    assert.notEqual(text.supportThemeIcons, true);
    assert.doesNotMatch(
      text.value,
      /(?<!\\)(?:\]\(|<|\$\()/,
      'no link, element or icon is made of what a session says',
    );
    assert.match(text.value, /\\\[run\\\]\\\(command/);
    const commands = [...links.value.matchAll(/\(command:([\w.]+)(?:\?([^)]*))?\)/g)];
    assert.deepEqual(
      commands.map(([, name, args]) => [
        name,
        args === undefined ? null : (JSON.parse(decodeURIComponent(args)) as unknown),
      ]),
      [
        ['vitrine.openEntry', [id, fixture.stepIndex]],
        ['vitrine.openEntry', [id, fixture.promptIndex]],
        ['vitrine.whyThisLine', null],
      ],
    );
    assert.deepEqual(await hovers(fixture.written - 1), [], 'a line that was only read has none');
  });

  it('have prompt and step in a lens', async () => {
    const found = await until('lenses', async () => {
      const all = await lenses();
      return all.length === 2 ? all : undefined;
    });
    assert.deepEqual(
      found.map(({ range, command }) => [range.start.line, command?.arguments]),
      [
        [fixture.written, [id, fixture.promptIndex]],
        [fixture.written, [id, fixture.stepIndex]],
      ],
    );
    assert.match(found[0]?.command?.title ?? '', /^\$\(comment\) Give the discount/);
    assert.match(found[1]?.command?.title ?? '', /^\$\(edit\) Claude Code 2\.1\.328 · step 2$/);
  });

  it('are followed when moved, and marked as edited', async () => {
    const asItWas = document.getText();
    const insert = new vscode.WorkspaceEdit();
    insert.insert(document.uri, new vscode.Position(0, 0), '// by hand\n// and more\n');
    await vscode.workspace.applyEdit(insert);
    assert.equal((await hovers(fixture.written + 2)).length, 2);
    assert.deepEqual(await hovers(fixture.written), []);
    const line = document.lineAt(fixture.written + 2);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, line.range, line.text.replace('guests', 'guests + 1'));
    await vscode.workspace.applyEdit(edit);
    const [text] = await hovers(fixture.written + 2);
    assert.match(text?.value ?? '', /Edited since/);
    const back = new vscode.WorkspaceEdit();
    back.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), asItWas);
    await vscode.workspace.applyEdit(back);
    assert.equal((await hovers(fixture.written)).length, 2);
  });

  it('are explained on request, even if the setting is off, and lead to the step', async () => {
    await enable(false);
    await until('no hovers', async () => ((await hovers(fixture.written)).length === 0 ? true : undefined));
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(fixture.written, 0, fixture.written, 0);
    const asked = run('whyThisLine');
    await until('the panel', async () => {
      // The list is there when this is heard; before, nothing hears it.
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return sessionTabs().find(({ label }) => label.startsWith('Discounts'));
    });
    await asked;
  });

  it('open at an entry by the command behind links, which validates its arguments', async () => {
    await vscode.window.tabGroups.close(sessionTabs());
    for (const args of [[id], [id, -1], [id, 1.5], ['ses_x', 1], [id, '1'], [{ id }, 1]])
      await run('openEntry', ...args);
    assert.equal(sessionTabs().length, 0);
    await run('openEntry', id, fixture.stepIndex);
    await until('the panel', () => (sessionTabs().length === 1 ? true : undefined));
  });

  it('are copied as Markdown with secrets masked: one message, or the whole session', async () => {
    await run('copyMarkdown', { webviewSection: 'entry', entry: 4 });
    const one = await vscode.env.clipboard.readText();
    assert.match(one, /^\*\*made\*\* \(success\)\n\n```sh\nnpm test\n```/);
    assert.ok(!one.includes(leaked) && /ok .*hmac|masked|\*\*\*|█|\[/.test(one), one);
    await run('copyMarkdown', id);
    const whole = await vscode.env.clipboard.readText();
    assert.match(whole, /^# Discounts/);
    assert.ok(whole.includes('Tests pass.') && !whole.includes(leaked));
  });

  it('are copied with their sources', async () => {
    const text = await until('sources', async () => {
      await run('copyWithSources', { webviewSection: 'answer', entry: 5 });
      const copied = await vscode.env.clipboard.readText();
      return copied.includes('[^1]') ? copied : undefined;
    });
    assert.match(text, /^Changed `src\/bill\.js:\d+`\[\^1\]\. Tests pass\[\^2\]\./);
    assert.match(
      text,
      /\n\[\^1\]: src\/bill\.js:\d+.* \(found in step \d\)\n\[\^2\]: npm test \(exit 0\) \(agrees with step 3\)/,
    );
  });

  it('have links to the session and its entries', async () => {
    await run('copyLink', id);
    assert.equal(await vscode.env.clipboard.readText(), `${vscode.env.uriScheme}://vitrine.vitrine/session/${id}`);
    await run('copyLink', { webviewSection: 'entry', entry: 3 });
    assert.equal(await vscode.env.clipboard.readText(), `${vscode.env.uriScheme}://vitrine.vitrine/session/${id}#3`);
  });
});

describe('an external link', () => {
  const open = async (link: string, missing = false): Promise<unknown[]> => {
    const done: unknown[] = [];
    const engine = {
      open: (session: string) => {
        done.push(['looked for', session]);
        return missing
          ? Promise.reject(failures.sessionMissing(session))
          : Promise.resolve({ dispose: () => undefined });
      },
    };
    await openSessionLink(vscode.Uri.parse(link), {
      engines: { get: () => Promise.resolve(engine as never) },
      panels: {
        open: (session) => Promise.resolve(void done.push(['opened', session])),
        reveal: (session, to) => Promise.resolve(void done.push(['led', session, to])),
      },
      failures: { show: () => Promise.resolve(void done.push('failed')) },
    });
    return done;
  };
  const session = 'ses_0123456789ab';

  it('opens the session or one of its entries, and does nothing else', async () => {
    const base = `vscode://vitrine.vitrine/session/${session}`;
    assert.deepEqual(await open(base), [
      ['looked for', session],
      ['opened', session],
    ]);
    assert.deepEqual(await open(`${base}#7`), [
      ['looked for', session],
      ['led', session, 7],
    ]);
    assert.deepEqual(await open(`${base}?run=rm#7`), [
      ['looked for', session],
      ['led', session, 7],
    ]);
  });

  it('opens nothing if the session is not here, and searches nothing if it names none', async () => {
    assert.deepEqual(await open(`vscode://vitrine.vitrine/session/${session}#7`, true), [['looked for', session]]);
    for (const link of [
      'run/x',
      `session/${session}/../../x`,
      `session/${session}#x`,
      'session/../../etc/passwd',
      '',
    ]) {
      assert.deepEqual(await open(`vscode://vitrine.vitrine/${link}`), [], link);
    }
  });
});
