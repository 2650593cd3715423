import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { codexAcpVersion, ensureCodexAcp } from '../../support/agents/acp.ts';
import { codexVariables, configureCodex } from '../../support/agents/codex.ts';
import { waitForProcessEnd } from '../../support/agents/place.ts';
import { contentsOf, ended, toolsOf } from '../../support/agents/runs.ts';
import { agentSuite } from '../../support/agents/suite.ts';
import { answerRequests, deny, once } from '../../support/sessions/answering.ts';
import { codexScenarios } from '../../support/models/scripts/codexScenarios.ts';
import { startOpenaiServer } from '../../support/models/openai.ts';

describe(`Codex ${codexAcpVersion}, by the Agent Client Protocol`, function () {
  const agent = agentSuite({
    ensure: ensureCodexAcp,
    runs: 'acp',
    profile: 'codex-acp',
    interactive: true,
    name: 'codex-acp',
    variables: codexVariables,
    scenarios: () => codexScenarios('0.169.0'),
    serve: startOpenaiServer,
    configure: (home, modelUrl) => configureCodex(home, modelUrl, '0.169.0'),
  });
  const at = (name: string): string => path.join(agent.place.workspace, name);

  it('does not change what was denied', async () => {
    const handle = await agent.runs.start('Try it. [[change]]', { permissionMode: 'read-only' });
    answerRequests(handle, deny);
    await ended(handle);
    assert.ok((await toolsOf(handle)).some(({ action, status }) => action.kind === 'file_edit' && status === 'denied'));
    assert.ok(!existsSync(at('NOTES.md')));
  });

  it('asks in the selected mode, resumes the conversation, and ends although it would stay', async () => {
    const handle = await agent.runs.start('Write notes. [[change]]', { permissionMode: 'read-only' });
    answerRequests(handle, once, once, once, once);
    const first = await ended(handle);
    assert.equal(first.success, true, first.error);
    assert.equal(first.data, 'Done.');
    assert.equal(readFileSync(at('NOTES.md'), 'utf8'), '# Notes\n');
    assert.deepEqual(await contentsOf(handle, 'system_message ended'), []);
    if (process.platform === 'linux') await waitForProcessEnd(agent.place.home);
    const { executor_session_id: id } = handle.summary();
    const again = await agent.runs.resume(handle.id, 'What did I ask for? [[again]]');
    const second = await ended(again);
    assert.equal(second.success, true, second.error);
    assert.equal(again.summary().executor_session_id, id);
    assert.match(agent.runs.sentPrompt('again'), /Write notes[^]*Done\.[^]*What did I ask for\?/);
  });
});
