import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { SessionSummary } from '../../../src/model/session/summary.ts';
import type { VitrineApi } from '../../../src/vscode/api/types/vitrine.d.ts';
import { groupSessions } from '../../../src/vscode/sessions/sessionGroups.ts';
import { rowOf } from '../../../src/vscode/sessions/sessionRow.ts';
import { copyFiles } from '../../support/sessions/copyFiles.ts';
import { activateWithFakeAgent, record, recordDialogs, sessionTabs, storeFolder, until } from '../shell.ts';

const { Global } = vscode.ConfigurationTarget;
const steps = (...added: readonly object[]): string => JSON.stringify([{ init: true }, ...added, { result: {} }]);

describe('Fork from Here…', function () {
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('vitrine');
  const fork = (session: string, entry: number) =>
    vscode.commands.executeCommand<string | undefined>('vitrine.forkFromHere', session, entry);
  const dialogs = recordDialogs();
  let api: VitrineApi;
  let session: string;
  /** Indexes of its prompts. */
  let prompts: readonly number[];

  /** Repeats `command`, which closes a dialog, until the command that shows the dialogs has ended. */
  const closing = async (command: string, ended: Thenable<string | undefined>): Promise<string | undefined> => {
    const state = { isOver: false };
    const endRun = (): void => void (state.isOver = true);
    ended.then(endRun, endRun);
    await until('the end of the command', async () => {
      await vscode.commands.executeCommand(command);
      return state.isOver;
    });
    return ended;
  };

  before(async () => {
    api = await activateWithFakeAgent();
    ({ session } = await api.run(steps({ say: 'The first answer.' })));
    for (const prompt of [steps({ sayPrompt: {} }), steps({ say: 'Too late.' })])
      await api.run(prompt, { resume: session });
    prompts = (await api.sessions.entries(session)).flatMap(({ type, index }) =>
      type.kind === 'user_message' ? [index] : [],
    );
    assert.equal(prompts.length, 3);
  });
  beforeEach(() => dialogs.start());
  afterEach(() => dialogs.stop());
  after(async () => {
    await settings().update('claude.path', undefined, Global);
    await vscode.window.tabGroups.close(sessionTabs());
  });

  it('says what the agent will know, forks there, and shows the fork below its origin', async () => {
    const [, second = -1] = prompts;
    const forked = await closing('workbench.action.acceptSelectedQuickOpenItem', fork(session, second));
    assert.ok(forked !== undefined && forked !== session);
    const way =
      'Claude Code cannot continue its conversation from here. A new conversation starts, and the agent gets the transcript before this prompt as text.';
    const [choice, message, ...others] = dialogs.texts;
    assert.deepEqual(others, []);
    assert.deepEqual(choice, {
      title: 'Fork from Here',
      placeholder: 'The original session does not change.',
      items: [
        ['$(repo-forked) Fork', 'A new conversation starts. The agent gets the transcript before this prompt as text.'],
        [
          '$(discard) Restore Files and Fork',
          'Restores the files as they were at this prompt. You can review the changes first.',
        ],
      ],
    });
    assert.deepEqual(message, {
      title: 'Fork from Here',
      prompt: `The message that replaces the prompt. ${way}`,
      value: steps({ sayPrompt: {} }),
    });

    const ended = await until('the end of its run', async () => {
      const found = await api.sessions.get(forked);
      return found?.runs === 2 && found.outcome === 'completed' ? found : undefined;
    });
    assert.deepEqual(ended.total_usage, ended.usage, 'what came before was paid in the other session');
    // The fake agent's results say "done".
    const answers = (await api.sessions.entries(forked)).flatMap(({ type, content }) =>
      type.kind === 'assistant_message' && content !== 'done' ? [content] : [],
    );
    assert.equal(answers.length, 2);
    assert.equal(answers[0], 'The first answer.');
    assert.match(
      answers[1] ?? '',
      /^told: Note written by Vitrine[^]*> Assistant: The first answer\.[^]*user now says:/,
    );
    assert.doesNotMatch(answers[1] ?? '', /Too late|> Assistant: told/);

    const all = (await api.sessions.list()) as readonly SessionSummary[];
    const rows = all.filter(({ session_id: id }) => id === session || id === forked).map((summary) => rowOf(summary));
    const nodes = groupSessions(rows, Date.now()).flatMap((group) => group.nodes);
    assert.deepEqual(
      nodes.map(({ row, children }) => [row.session_id, children.map((child) => child.row.session_id)]),
      [[session, [forked]]],
    );
  });

  it('restores the files first if you choose that', async () => {
    const root = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
    const file = path.join(root, 'forked.txt');
    const [, second = -1] = prompts;
    await writeFile(file, 'as it was\n');
    try {
      await copyFiles(await storeFolder(), { id: session, folder: root }, second);
      await writeFile(file, 'later\n');
      dialogs.prefer('Restore Files and Fork');
      const forked = await closing('workbench.action.acceptSelectedQuickOpenItem', fork(session, second));
      assert.ok(forked !== undefined && forked !== session);
      assert.equal(await readFile(file, 'utf8'), 'as it was\n');
      const ended = await until('the end of its run', async () => {
        const found = await api.sessions.get(forked);
        return found?.outcome === 'completed' ? found : undefined;
      });
      assert.equal(ended.runs, 2);
      const restored = (await record(session)).filter(
        ({ kind, decision }) => kind === 'decision' && (decision as { type: string }).type === 'restore',
      );
      assert.equal(restored.length, 1, 'the session that was forked says so');
    } finally {
      await rm(file, { force: true });
      await vscode.commands.executeCommand('notifications.clearAll');
    }
  });

  it('starts nothing if you cancel', async () => {
    const before = (await api.sessions.list()).length;
    const [first = -1] = prompts;
    assert.equal(await closing('workbench.action.closeQuickOpen', fork(session, first)), undefined);
    assert.equal((await api.sessions.list()).length, before);
    const [row] = dialogs.texts[0]?.items ?? [];
    assert.equal(row?.[1], 'This is the first prompt. A new conversation starts.');
  });
});
