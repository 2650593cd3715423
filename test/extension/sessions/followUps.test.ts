import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { VitrineApi } from '../../../src/vscode/api/types/vitrine.d.ts';
import { activateWithFakeAgent, record, sessionTabs, until, webviewTabs } from '../shell.ts';

const { Global } = vscode.ConfigurationTarget;

describe('follow-ups in VS Code', function () {
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('vitrine');
  let api: VitrineApi;

  before(async () => {
    api = await activateWithFakeAgent();
  });
  after(async () => {
    await vscode.window.tabGroups.close(sessionTabs());
    await settings().update('followUps', undefined, Global);
    await settings().update('claude.path', undefined, Global);
    await vscode.commands.executeCommand('vitrine.resumeFollowUps');
  });

  // Sessions of earlier tests get follow-ups, too.
  const often = { max_per_session: 2, max_per_day: 1000 };
  const soon = { executors: ['claude-code'], triggers: ['check_in'], delay_minutes: 0.005, ...often };
  const start = async (): Promise<string> => {
    const prompt = JSON.stringify([{ init: true }, { say: 'Done.' }, { result: {} }]);
    const id = await vscode.commands.executeCommand<string>('vitrine.runAgent', { agent: 'claude-code', prompt });
    assert.ok(id);
    return id;
  };
  const hasEnded = (id: string, runs: number) =>
    until(`${runs} runs`, async () => {
      const session = await api.sessions.get(id);
      return session?.runs === runs && session.outcome === 'completed' ? session : undefined;
    });
  const marks = async (id: string): Promise<unknown[]> =>
    (await api.sessions.entries(id)).flatMap(({ type, metadata }) =>
      type.kind === 'user_message' ? [[metadata?.['synthetic'], metadata?.['trigger_type']]] : [],
    );

  it('are off by default', async () => {
    const id = await start();
    await hasEnded(id, 1);
    assert.deepEqual(await marks(id), [[undefined, undefined]]);
    await settings().update('followUps', { ...soon, executors: [] }, Global);
    await vscode.commands.executeCommand('vitrine.followUpsOn', id);
    await hasEnded(id, 3);
    const auto = [true, 'check_in'];
    assert.deepEqual(await marks(id), [[undefined, undefined], auto, auto]);
  });

  it('explain why none is sent, and what would have been sent in the past week', async () => {
    const prompt = JSON.stringify([{ init: true }, { say: 'Tea or coffee?' }, { result: { text: 'Tea or coffee?' } }]);
    await settings().update('followUps', undefined, Global);
    const id = await vscode.commands.executeCommand<string>('vitrine.runAgent', { agent: 'claude-code', prompt });
    assert.ok(id);
    await hasEnded(id, 1);
    const why = (): Thenable<string> => vscode.commands.executeCommand<string>('vitrine.whyNoFollowUp', id);
    const off = await why();
    assert.match(off, /Next follow-up.*None: Follow-ups are off for this session\./);
    assert.match(off, /Dry Run: Past 7 Days/);
    assert.match(off, /\(follow-ups are off\).*unanswered question.*Follow up on it\./);
    await settings().update('followUps', { executors: ['claude-code'], delay_minutes: 5 }, Global);
    assert.match(await why(), /Next follow-up.*Scheduled for /);
    await vscode.commands.executeCommand('vitrine.pauseFollowUps');
    assert.match(await why(), /None: You paused all follow-ups\./);
    await vscode.commands.executeCommand('vitrine.resumeFollowUps');
    await vscode.window.tabGroups.close(webviewTabs('vitrine.report'));
  });

  it('respect their limit', async () => {
    await settings().update('followUps', soon, Global);
    const [first, second] = [await start(), await start()];
    await hasEnded(first, 3);
    await hasEnded(second, 3);
    const third = await start();
    await hasEnded(third, 3);
    assert.equal((await marks(first)).length, 3, 'while others were spoken to');
  });

  it('can be cancelled, and paused for all sessions', async () => {
    await settings().update('followUps', { ...soon, delay_minutes: 5 }, Global);
    const id = await start();
    await hasEnded(id, 1);
    await until('what was cancelled in the record', async () => {
      await vscode.commands.executeCommand('vitrine.cancelFollowUp', id);
      return JSON.stringify(await record(id)).includes('"cancelled_at"') || undefined;
    });
    await vscode.commands.executeCommand('vitrine.pauseFollowUps');
    await settings().update('followUps', soon, Global);
    const paused = await start();
    await hasEnded(paused, 1);
    await vscode.commands.executeCommand('vitrine.resumeFollowUps');
    await hasEnded(paused, 3);
    assert.equal((await marks(id)).length, 1, 'what was cancelled stays so');
  });
});
