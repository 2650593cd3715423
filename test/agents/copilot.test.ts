import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { SessionHandle } from '../../src/engine/api.ts';
import { copilotVersion, ensureCopilot } from '../support/agents/copilot.ts';
import { copilotVariables } from '../support/agents/environment.ts';
import { ended, entriesOf, toolsOf, toolStatuses } from '../support/agents/runs.ts';
import { agentSuite } from '../support/agents/suite.ts';
import { copilotScenarios } from '../support/models/scripts/copilotScenarios.ts';
import { skip } from '../support/skip.ts';

describe(`Copilot CLI ${copilotVersion}`, function () {
  const agent = agentSuite({
    ensure: ensureCopilot,
    runs: 'copilot',
    name: 'copilot',
    variables: copilotVariables,
    scenarios: copilotScenarios,
  });

  const start = (prompt: string, permissionMode = 'bypassPermissions'): Promise<SessionHandle> =>
    agent.runs.start(prompt, { permissionMode });

  it('runs tools, has its own id, and resumes the conversation', async () => {
    const handle = await start('Write notes. [[change]]');
    const first = await ended(handle);
    assert.equal(first.success, true, first.error);
    assert.equal(first.data, 'Done.');
    assert.equal(readFileSync(path.join(agent.place.workspace, 'NOTES.md'), 'utf8'), '# Notes\n');
    const tools = await toolsOf(handle);
    assert.deepEqual(
      tools.map(({ toolName, action, status }) => `${toolName} ${action.kind} ${status}`),
      ['view file_read success', 'bash command_run failed', 'create file_write success'],
    );
    assert.ok(tools[1]?.action.kind === 'command_run' && tools[1].action.exitCode === 3);

    const id = handle.summary().executor_session_id;
    assert.match(id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    const [, ...entries] = await entriesOf(handle);
    assert.ok(entries.every(({ metadata }) => metadata?.sessionId === id));
    assert.deepEqual(first.metadata?.usage, { input: 24, output: 100, cacheRead: 4000, cacheWrite: 2000 });
    assert.equal(first.metadata.costProvenance.provenance, 'estimated');

    const again = await agent.runs.resume(handle.id, 'What did I ask for? [[again]]');
    const second = await ended(again);
    assert.equal(second.success, true, second.error);
    assert.equal(again.summary().executor_session_id, id);
    assert.match(agent.runs.sentPrompt('again'), /Write notes[^]*Done\.[^]*What did I ask/);
    // The agent's file counts the session; the run is what came on top.
    assert.deepEqual(second.metadata?.usage, { input: 12, output: 50, cacheRead: 2000, cacheWrite: 1000 });
    assert.deepEqual(second.metadata.totalUsage, { input: 36, output: 150, cacheRead: 6000, cacheWrite: 3000 });

    rmSync(path.join(agent.place.home, '.copilot/session-state'), { recursive: true });
    await agent.runs.losesConversation(handle.id);
    await agent.runs.startsNewConversation(handle.id);
  });

  it('does not do what was not allowed', async () => {
    const handle = await start('Try it. [[denied]]', 'default');
    assert.equal((await ended(handle)).success, true);
    assert.deepEqual(await toolStatuses(handle), ['denied']);
    assert.ok(!existsSync(path.join(agent.place.workspace, 'denied.txt')));
  });

  for (const [scenario, expected] of [
    ['refused', /Scripted refusal/],
    ['login', /Authentication failed/],
  ] as const) {
    it(`reports an invalid answer of the server (${scenario})`, async () => {
      const handle = await start(`Do it. [[${scenario}]]`);
      const { success, error = '', metadata } = await ended(handle);
      assert.equal(success, false);
      assert.match(error, expected);
      const errors = (await entriesOf(handle)).flatMap(({ type }) =>
        type.kind === 'error' ? [type.error.message] : [],
      );
      assert.match(errors.join('\n'), expected);
      assert.notEqual(metadata?.cost, 0);
    });
  }

  it('leaves no process when stopped during a tool call, although its loader ignores signals', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
    const handle = await start('Sleep. [[sleep]]');
    assert.deepEqual(await agent.runs.stopDuringCommand(handle), ['cancelled']);
  });
});
