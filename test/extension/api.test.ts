import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { activateWithFakeAgent, until } from './shell.ts';
import type { AgentInfo, RunResult } from '../../src/vscode/api/types/runs.d.ts';
import type { SessionEvent } from '../../src/vscode/api/types/transcript.d.ts';
import type { Session, VitrineApi } from '../../src/vscode/api/types/vitrine.d.ts';

interface AskedTwice {
  readonly one: RunResult;
  readonly two: RunResult;
  readonly session: Session | undefined;
  readonly events: readonly SessionEvent[];
}

interface AgentsRun {
  readonly agents: readonly AgentInfo[];
  readonly answers: readonly string[];
}

interface OutputRead {
  readonly texts: readonly string[];
  readonly sessionId: string | null;
  readonly session: string;
  readonly success: boolean;
}

const { Global } = vscode.ConfigurationTarget;
const script = (...steps: readonly object[]): string => JSON.stringify([{ init: true }, ...steps]);
const says = (words: string, usd: number): object[] => [{ say: words }, { result: { usd, text: words } }];

describe('the public API', function () {
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('vitrine');
  let api: VitrineApi;

  before(async () => {
    api = await activateWithFakeAgent();
    assert.match(settings().inspect<string>('claude.path')?.globalValue ?? '', /fakeAgent/);
  });

  after(async () => {
    await settings().update('claude.path', undefined, Global);
    await settings().update('budgets', undefined, Global);
  });

  const refused = async (code: string, run: Promise<unknown>): Promise<void> => {
    await assert.rejects(run, (error: { code?: string }) => {
      assert.equal(error.code, code);
      return true;
    });
  };

  it('runs an agent for the sample extension, resumes it, and reports cost and events', async () => {
    const first = script(
      { tool: { id: 'call', command: 'ls' } },
      { toolResult: { id: 'call', text: 'a file' } },
      ...says('hello', 0.25),
    );
    const then = script(...says('again', 0.5));
    const asked = await vscode.commands.executeCommand<AskedTwice>('vitrineSample.askTwice', first, then);
    const { one, two, session, events } = asked;
    assert.equal(one.success, true, one.error);
    assert.equal(one.data, 'hello');
    assert.deepEqual([one.metadata?.cost, one.metadata?.isMaxTurns], [0.25, false]);
    assert.equal(one.metadata?.costProvenance.provenance, 'reported');
    assert.match(one.stdout ?? '', /"text":"hello"/);
    assert.deepEqual(
      one.events?.map((event) => [event.type, event.type === 'content' ? event.text : event.tool]),
      [
        ['tool_use', 'Bash'],
        ['tool_result', 'Bash'],
        ['content', 'hello'],
      ],
    );
    assert.ok(one.events.every(({ timestamp }) => Math.abs(timestamp - Date.now()) < 600_000));
    assert.equal(two.success, true, two.error);
    assert.equal(two.events, undefined);
    assert.deepEqual([two.metadata?.cost, two.metadata?.totalCost, two.session], [0.5, 0.75, one.session]);
    assert.deepEqual([session?.runs, session?.outcome, session?.agent_label], [2, 'completed', 'Claude Code']);
    const types = events.map(({ event_type: type }) => type);
    assert.deepEqual(types.slice(0, 5), ['session_start', 'message', 'pre_tool', 'post_tool', 'message']);
    assert.equal(types.filter((type) => type === 'session_stop').length, 2);
    const entries = await api.sessions.entries(one.session, 0, 1);
    assert.deepEqual([entries.length, entries[0]?.content], [1, first]);
  });

  it("passes an agent's output to an executor, which builds the transcript", async () => {
    const read = await vscode.commands.executeCommand<OutputRead>(
      'vitrineSample.readOutput',
      script({ say: 'one' }, ...says('two', 0.1)),
    );
    assert.deepEqual(read.texts, ['one', 'two']);
    assert.equal(read.success, true);
    const session = await api.sessions.get(read.session);
    assert.deepEqual(session?.executor_session_ids, [read.sessionId]);
  });

  it('runs agent files and ACP agents for the sample extension', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const file = vscode.Uri.joinPath(folder.uri, '.vitrine/agents/sampler.yaml');
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode('executor_type: claude-code\n'));
    const command = path.join(
      vscode.extensions.getExtension('vitrine.vitrine')?.extensionPath ?? '',
      'test/support/acpAgent/agent.mjs',
    );
    await settings().update('acp.agents', [{ id: 'made-up', label: 'Made Up', command }], Global);
    try {
      const prompts = [script(...says('from a file', 0.1)), JSON.stringify([{ say: 'over ACP' }])];
      const ran = await vscode.commands.executeCommand<AgentsRun>(
        'vitrineSample.runAgents',
        'sampler',
        'made-up',
        prompts,
      );
      assert.deepEqual(ran.answers, ['from a file', 'over ACP']);
      const found = ran.agents.filter(({ profile, agentFile }) => profile === 'made-up' || agentFile === 'sampler');
      assert.deepEqual(found, [
        { label: 'Made Up', agent: 'acp', profile: 'made-up', available: true },
        { label: 'sampler', agent: 'claude-code', agentFile: 'sampler', available: true },
      ]);
      const [newest] = (await api.sessions.list()).filter(({ agent_name: name }) => name === 'sampler');
      assert.equal(newest?.outcome, 'completed');
      await refused('request_invalid', api.run('x', { agentFile: 'sampler', agent: 'codex' }));
      await refused('blueprint_unknown', api.run('x', { agentFile: 'nobody' }));
      await refused('folder_outside', api.run('x', { agentFile: 'sampler', cwd: path.dirname(folder.uri.fsPath) }));
      await refused('mode_refused', api.run('x', { agentFile: 'sampler', permissionMode: 'bypassPermissions' }));
    } finally {
      await settings().update('acp.agents', undefined, Global);
      await vscode.workspace.fs.delete(vscode.Uri.joinPath(folder.uri, '.vitrine'), { recursive: true });
    }
  });

  it('does not exceed what the user allows', async () => {
    const inside = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
    const outside = path.dirname(inside);
    const before = (await api.sessions.list()).length;
    for (const cwd of [outside, `${inside}${path.sep}..`, `${inside}/sub/../../other`])
      await refused('folder_outside', api.run('x', { cwd }));
    const { ClaudeCodeExecutor } = api.executors;
    await refused('folder_outside', new ClaudeCodeExecutor({ workDir: `${inside}/..` }).executeTask('x'));
    const token = { isCancellationRequested: false, onCancellationRequested: 1 };
    await refused('request_invalid', api.run('x', { token: token as unknown as vscode.CancellationToken }));
    await refused('mode_refused', api.run('x', { permissionMode: 'bypassPermissions' }));
    await refused('mode_refused', api.run('x', { agent: 'codex', permissionMode: 'no such mode' }));
    await refused('session_unknown', api.run('x', { resume: 'ses_000000000000' }));
    await refused('request_invalid', api.run(' '));
    const foreign = { program: '/bin/sh', environment: { X: 'x' }, extraArgs: ['--y'] };
    await refused('request_invalid', api.run('x', { ...foreign, limits: { usd: -1 } }));
    await refused('request_invalid', api.run('x', { agent: 'sh' as 'codex' }));
    assert.equal((await api.sessions.list()).length, before);
    assert.throws(() => Object.assign(api, { run: undefined }));

    await settings().update('budgets', { run: { turns: 1 }, session: { turns: 2 } }, Global);
    const much = script({ say: 'one' }, { say: 'two' }, { wait: 30_000 }, { say: 'too much' });
    const paused = await api.run(much, { limits: { turns: 100 } });
    assert.deepEqual([paused.success, paused.metadata?.isMaxTurns], [false, true]);
    assert.deepEqual([paused.metadata?.budget?.limit, paused.metadata?.budget?.scope], [1, 'run']);
    assert.doesNotMatch(paused.stdout ?? '', /too much/);
    await refused('budget_used_up', api.run(script(...says('more', 1)), { resume: paused.session }));
  });

  it('stops a run by its cancellation token', async () => {
    await settings().update('budgets', undefined, Global);
    const source = new vscode.CancellationTokenSource();
    const listening = api.sessions.onDidChange(({ entries, status }) => {
      if (status === 'running' && entries > 2) source.cancel();
    });
    const result = await api.run(script({ say: 'running' }, { forever: true }), { token: source.token });
    listening.dispose();
    assert.equal(result.success, false);
    assert.equal((await api.sessions.get(result.session))?.outcome, 'stopped');
  });

  it('queues a run, says why it waits and who took it, and rejects what no runner can take', async () => {
    const changes: string[] = [];
    const subscription = api.queue.onDidChange(({ run_id, status }) => changes.push(`${run_id} ${status}`));
    try {
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
      const run = await api.queue.add(script(...says('queued', 0.1)), {
        agent: 'claude-code',
        demands: { tags: ['no-such-tag'] },
        title: 'Queued by a test',
      });
      assert.deepEqual([run.status, run.project_dir], ['pending', folder]);
      assert.match(run.waiting?.kind ?? '', /^(no_runner|executor|demands)$/);
      const listed = (await api.queue.runs()).find(({ run_id }) => run_id === run.run_id);
      assert.equal(listed?.status, 'pending');
      const session = await api.sessions.get(run.session_id);
      assert.deepEqual([session?.status, session?.title], ['pending', 'Queued by a test']);
      await api.queue.stop(run.run_id);
      await until('the news', () => changes.includes(`${run.run_id} stopped`) || undefined);
      assert.equal((await api.sessions.get(run.session_id))?.outcome, 'stopped');
      assert.ok(Array.isArray(await api.queue.runners()));
      await refused('request_invalid', api.queue.add(' '));
      await refused('request_invalid', api.queue.stop('ses_000000000001'));
      await refused('folder_outside', api.queue.add('x', { cwd: '/' }));
      await assert.rejects(api.queue.add('x', { resume: 'ses_00000000000f' }), /Session not found/);
    } finally {
      subscription.dispose();
    }
  });
});
