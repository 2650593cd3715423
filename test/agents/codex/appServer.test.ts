import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SessionHandle } from '../../../src/engine/api.ts';
import type { ToolUse } from '../../../src/model/transcript/tool.ts';
import { codexVariables, configureCodex, ensureCodex } from '../../support/agents/codex.ts';
import { waitForProcessEnd } from '../../support/agents/place.ts';
import { AgentRuns, contentsOf, ended, toolsOf, toolStatuses } from '../../support/agents/runs.ts';
import { agentSuite } from '../../support/agents/suite.ts';
import { startOpenaiServer } from '../../support/models/openai.ts';
import { codexScenarios } from '../../support/models/scripts/codexScenarios.ts';
import { type Scenarios, text, tool } from '../../support/models/scripts/scenario.ts';
import { answerRequests, deny, forSession, once } from '../../support/sessions/answering.ts';
import { until } from '../../support/until.ts';

const version = '0.169.0';
const run = (cmd: string) => tool('exec_command', { cmd, yield_time_ms: 30_000 });
/** The model asks to run this outside the sandbox. */
const outside = tool('exec_command', {
  cmd: 'echo once >> times.txt',
  yield_time_ms: 30_000,
  sandbox_permissions: 'require_escalated',
  justification: 'May I count?',
});

const scenarios = (): Scenarios => ({
  ...codexScenarios(version),
  twice: [{ blocks: [outside] }, { blocks: [outside] }, { blocks: [text('Twice.')] }],
  wait: [
    { blocks: [run('touch waiting.txt; until test -e go.txt; do sleep 0.05; done')] },
    { blocks: [text('Waited.')] },
  ],
});

const asking = { permissionMode: 'read-only' };

describe(`Codex ${version}, by its app-server`, function () {
  const agent = agentSuite({
    ensure: () => ensureCodex(version),
    runs: 'codex',
    interactive: true,
    name: 'codex',
    variables: codexVariables,
    scenarios,
    serve: startOpenaiServer,
    configure: (home, modelUrl) => configureCodex(home, modelUrl, version),
  });
  const at = (name: string): string => path.join(agent.place.workspace, name);
  const usage = { input: 400, output: 60, cacheRead: 800, cacheWrite: 100, reasoning: 20 };

  /** What both ways to run Codex must show alike; changes without their texts, which only the app-server has. */
  const shown = async (handle: SessionHandle) => ({
    texts: await contentsOf(handle, 'assistant_message'),
    thoughts: await contentsOf(handle, 'thinking'),
    errors: await contentsOf(handle, 'error'),
    tools: (await toolsOf(handle))
      .map(({ toolName, action, status, result }: ToolUse) => ({
        toolName,
        status,
        result,
        action:
          action.kind === 'file_edit'
            ? { ...action, changes: action.changes.map((change) => ({ path: change.path, kind: change.kind })) }
            : action,
      }))
      .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
  });

  describe('beside `codex exec`', () => {
    let exec: AgentRuns;
    before(() => {
      exec = new AgentRuns('codex', agent.place);
    });
    after(() => exec.dispose());

    for (const scenario of ['change', 'refused', 'limit']) {
      it(`gives the same transcript of the same script (${scenario})`, async () => {
        const prompt = `Write notes. [[${scenario}]]`;
        const options = { permissionMode: 'bypassPermissions' };
        const plain = await exec.start(prompt, options);
        const before = await ended(plain);
        const handle = await agent.runs.start(prompt, options);
        const after = await ended(handle);
        assert.deepEqual(await shown(handle), await shown(plain));
        assert.equal(after.success, before.success);
        assert.equal(after.error, before.error);
        assert.equal(after.data, before.data);
        assert.deepEqual(after.metadata?.usage, before.metadata?.usage);
        assert.deepEqual(handle.summary().unknown_lines ?? 0, 0);
      });
    }
  });

  it('counts each request as the server did, and resumes the thread', async () => {
    const handle = await agent.runs.start('Write notes. [[change]]', { permissionMode: 'bypassPermissions' });
    assert.equal((await ended(handle)).success, true);
    const messages = await handle.messages();
    assert.deepEqual(
      messages.map((message) => message.usage),
      [usage, usage, usage],
    );
    const { executor_session_id: id } = handle.summary();
    const again = await agent.runs.resume(handle.id, 'What did I ask for? [[again]]');
    const second = await ended(again);
    assert.equal(second.success, true, second.error);
    assert.equal(again.summary().executor_session_id, id);
    assert.deepEqual(second.metadata?.usage, usage);
    assert.match(agent.runs.sentPrompt('again'), /Write notes[^]*Done\.[^]*What did I ask for\?/);
  });

  it('asks before a command and a change, and respects the answers', async () => {
    const denied = await agent.runs.start('Try. [[twice]]', asking);
    const asked = answerRequests(denied, deny, deny);
    const first = await ended(denied);
    assert.equal(first.success, true, first.error);
    assert.equal(asked.length, 2);
    assert.match(asked[0]?.title ?? '', /echo once/);
    assert.equal(asked[0]?.reason, 'May I count?');
    assert.ok(!existsSync(at('times.txt')));
    assert.deepEqual(await toolStatuses(denied), ['denied', 'denied']);

    const allowed = await agent.runs.start('Try. [[twice]]', asking);
    const remembered = answerRequests(allowed, forSession, deny);
    const second = await ended(allowed);
    assert.equal(second.success, true, second.error);
    assert.equal(remembered.length, 1, 'the same command was asked about again');
    assert.equal(readFileSync(at('times.txt'), 'utf8'), 'once\nonce\n');

    const written = await agent.runs.start('Write notes. [[change]]', asking);
    const edits = answerRequests(written, once);
    const third = await ended(written);
    assert.equal(third.success, true, third.error);
    const edit = edits.find(({ action }) => action?.kind === 'file_edit')?.action;
    assert.ok(edit?.kind === 'file_edit');
    assert.deepEqual(
      edit.changes.map(({ kind, newText }) => [kind, newText]),
      [['add', '# Notes\n']],
    );
  });

  it('reads a message during its turn', async () => {
    const handle = await agent.runs.start('Wait. [[wait]]', { permissionMode: 'bypassPermissions' });
    await until('the command', () => existsSync(at('waiting.txt')), 30_000);
    handle.conversation()?.sendMessage('And tell me what I asked. [[again]]', 'queue');
    await until('the message', async () => (await contentsOf(handle, 'user_message')).length === 2, 30_000);
    assert.deepEqual(handle.conversation()?.queuedMessages(), []);
    writeFileSync(at('go.txt'), '');
    const result = await ended(handle);
    assert.equal(result.success, true, result.error);
    assert.match(agent.runs.sentPrompt('again'), /Wait\.[^]*And tell me what I asked\./);
    assert.equal(agent.place.model.asked.filter(({ scenario }) => scenario === 'wait').length, 1);
    assert.equal((await contentsOf(handle, 'user_message')).length, 2);
  });

  it('interrupts a turn for a message, and stops with its processes', async () => {
    const handle = await agent.runs.start('Sleep. [[sleep]]', { permissionMode: 'bypassPermissions' });
    await until('the command', async () => (await toolsOf(handle)).length > 0, 30_000);
    handle.conversation()?.sendMessage('What did I ask for? [[again]]', 'interrupt');
    const { data } = await ended(handle);
    assert.equal(data, 'You asked for notes.');
    assert.equal((await contentsOf(handle, 'system_message interrupted')).length, 1);
    assert.deepEqual(await toolStatuses(handle), ['cancelled']);

    const stopped = await agent.runs.start('Sleep. [[sleep]]', { permissionMode: 'bypassPermissions' });
    await until('the command', async () => (await toolsOf(stopped)).length > 0, 30_000);
    await agent.runs.engine.stop(stopped.id);
    await ended(stopped);
    assert.equal(stopped.turns().at(-1)?.status, 'stopped');
    if (process.platform === 'linux') await waitForProcessEnd(agent.place.home);
  });
});
