import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EngineFailure } from '../../src/engine/failures/failures.ts';
import { configureGemini, ensureGemini, geminiVariables, geminiVersion } from '../support/agents/gemini.ts';
import { contentsOf, ended, toolsOf, toolStatuses } from '../support/agents/runs.ts';
import { agentSuite } from '../support/agents/suite.ts';
import { answerRequests, deny, once } from '../support/sessions/answering.ts';
import { startGeminiServer } from '../support/models/gemini.ts';
import { geminiScenarios } from '../support/models/scripts/geminiScenarios.ts';
import { skip } from '../support/skip.ts';

describe(`Gemini CLI ${geminiVersion}, by the Agent Client Protocol`, function () {
  const agent = agentSuite({
    ensure: ensureGemini,
    runs: 'acp',
    profile: 'gemini-acp',
    interactive: true,
    name: 'gemini',
    variables: geminiVariables,
    scenarios: geminiScenarios,
    serve: startGeminiServer,
    configure: configureGemini,
  });
  const at = (name: string): string => path.join(agent.place.workspace, name);

  it('asks, and writes the allowed file', async () => {
    const handle = await agent.runs.start('Write notes. [[change]]', { model: 'gemini-2.5-pro' });
    const asked = answerRequests(handle, once, once);
    const result = await ended(handle);
    assert.equal(result.success, true, result.error);
    assert.equal(readFileSync(at('NOTES.md'), 'utf8'), '# Notes\n');
    assert.deepEqual(
      asked.map(({ action }) => action?.kind),
      ['command_run', 'file_edit'],
    );
    assert.deepEqual(
      (await toolsOf(handle)).map(({ action, status }) => [action.kind, status]),
      [
        ['command_run', 'success'],
        ['file_read', 'success'],
        ['file_edit', 'success'],
      ],
    );
    assert.deepEqual(await contentsOf(handle, 'system_message refused'), []);
    assert.equal(handle.summary().model, 'gemini-2.5-pro');
    const why = await agent.runs.resume(handle.id, 'Again').then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(EngineFailure.is(why, 'conversation_unknown'));
    assert.equal(why.action, 'startAfresh');
    await agent.runs.startsNewConversation(handle.id);
  });

  it('does not change what was denied', async () => {
    const handle = await agent.runs.start('Try it. [[denied]]');
    answerRequests(handle, deny);
    assert.equal((await ended(handle)).success, true);
    assert.deepEqual(await toolStatuses(handle), ['denied']);
    assert.ok(!existsSync(at('denied.txt')));
  });

  it('leaves no process when stopped during a command', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
    const handle = await agent.runs.start('Sleep. [[sleep]]', { permissionMode: 'yolo' });
    await agent.runs.stopDuringCommand(handle);
  });
});
