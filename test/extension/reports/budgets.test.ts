import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { VitrineApi } from '../../../src/vscode/api/types/vitrine.d.ts';
import { activateWithFakeAgent, record, until } from '../shell.ts';

const { Global, Workspace } = vscode.ConfigurationTarget;

describe('budgets in VS Code', function () {
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('vitrine');
  let api: VitrineApi;

  before(async () => {
    api = await activateWithFakeAgent();
  });

  after(async () => {
    await settings().update('claude.path', undefined, Global);
    await settings().update('budgets', undefined, Global);
    await settings().update('budgets', undefined, Workspace);
  });

  const start = async (steps: readonly object[]): Promise<string> => {
    const prompt = JSON.stringify([{ init: true }, ...steps]);
    const id = await vscode.commands.executeCommand<string>('vitrine.runAgent', { agent: 'claude-code', prompt });
    assert.ok(id);
    return id;
  };
  const outcome = (id: string, runs: number) =>
    until('the end of the run', async () => {
      const session = await api.sessions.get(id);
      return session?.runs === runs && session.outcome !== 'none' ? session : undefined;
    });
  const decided = async (id: string): Promise<unknown[]> =>
    (await record(id)).flatMap(({ decision }) => {
      const { type } = (decision ?? {}) as { type?: string };
      return type?.startsWith('budget') === true ? [type] : [];
    });

  it('pause a session, which continues when the user raises the limit', async () => {
    await settings().update('budgets', { session: { tokens: 40 } }, Global);
    const id = await start([{ say: 'one' }, { say: 'two' }, { say: 'three' }, { wait: 30_000 }, { say: 'too much' }]);
    const paused = await outcome(id, 1);
    assert.deepEqual([paused.outcome, paused.budget?.reached?.scope], ['stopped', 'session']);
    assert.match(
      paused.reason ?? '',
      /^The budget for this session is used up: 45 of 40 tokens\. 5 tokens over the limit\./,
    );

    const raising = vscode.commands.executeCommand<string>('vitrine.raiseBudget', id);
    let raised: string | undefined;
    void raising.then((result) => (raised = result));
    // The box suggests twice as much, and takes that.
    await until('the new limit to be taken', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return raised;
    });
    const ended = await outcome(id, 2);
    assert.deepEqual([ended.outcome, ended.budget], ['completed', undefined]);
    assert.deepEqual(await decided(id), ['budget_near', 'budget_reached', 'budget_raised']);
    const entries = await api.sessions.entries(id);
    assert.equal(entries.at(-2)?.content, 'heard Continue.');
  });

  it('can only be lowered by a workspace', async () => {
    await settings().update('budgets', { run: { turns: 1, tokens: 1000 } }, Global);
    await settings().update('budgets', { run: { turns: 50, tokens: 40 } }, Workspace);
    const limits = async (steps: readonly object[]) => (await outcome(await start(steps), 1)).budget?.reached;
    const many = [{ say: 'one' }, { say: 'two' }, { wait: 30_000 }];
    assert.deepEqual([(await limits(many))?.unit, (await limits(many))?.limit], ['turns', 1]);
    await settings().update('budgets', { run: { turns: 50, tokens: 1000 } }, Global);
    const steps = [{ say: 'one' }, { say: 'two' }, { say: 'three' }, { wait: 30_000 }];
    assert.deepEqual([(await limits(steps))?.unit, (await limits(steps))?.limit], ['tokens', 40]);
  });
});
