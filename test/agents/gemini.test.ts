import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { SessionHandle } from '../../src/engine/api.ts';
import { configureGemini, ensureGemini, geminiVariables, geminiVersion } from '../support/agents/gemini.ts';
import { waitForProcessEnd } from '../support/agents/place.ts';
import { contentsOf, ended, entriesOf, toolsOf, toolStatuses } from '../support/agents/runs.ts';
import { agentSuite } from '../support/agents/suite.ts';
import { startGeminiServer } from '../support/models/gemini.ts';
import { geminiScenarios } from '../support/models/scripts/geminiScenarios.ts';
import { skip } from '../support/skip.ts';
import { until } from '../support/until.ts';

const model = 'gemini-2.5-pro';
/** What one answer of the script uses. */
const answer = { input: 400, output: 60, cacheRead: 800, reasoning: 20 };
const times = (count: number) =>
  Object.fromEntries(Object.entries(answer).map(([kind, tokens]) => [kind, tokens * count]));

/** It takes its time to begin: two processes, each of which reads all of its JavaScript. */
const patience = 90_000;

describe(`Gemini CLI ${geminiVersion}`, function () {
  this.timeout(2 * patience);
  const agent = agentSuite({
    ensure: ensureGemini,
    runs: 'gemini',
    name: 'gemini',
    variables: geminiVariables,
    scenarios: geminiScenarios,
    serve: startGeminiServer,
    configure: configureGemini,
  });

  const start = (prompt: string, permissionMode = 'yolo'): Promise<SessionHandle> =>
    agent.runs.start(prompt, { permissionMode, model });

  describe('one session', () => {
    let handle: SessionHandle;

    it('runs commands and changes files, each reported once', async () => {
      handle = await start('Write notes. [[change]]');
      const result = await ended(handle);
      assert.equal(result.success, true, result.error);
      assert.equal(result.data, 'Done.');
      assert.equal(readFileSync(path.join(agent.place.workspace, 'NOTES.md'), 'utf8'), '# Notes\n');
      const tools = await toolsOf(handle);
      assert.deepEqual(
        tools.map(({ toolName, action, status }) => `${toolName} ${action.kind} ${status}`),
        ['run_shell_command command_run failed', 'read_file file_read success', 'write_file file_write success'],
      );
      assert.ok(tools[0]?.action.kind === 'command_run' && tools[0].action.exitCode === 3);
      assert.deepEqual(await contentsOf(handle, 'assistant_message'), ['First a look.', 'Done.']);
    });

    it('has its id and model in all entries', async () => {
      const id = handle.summary().executor_session_id;
      assert.match(id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
      const known = (await entriesOf(handle)).flatMap(({ metadata }) => (metadata === undefined ? [] : [metadata]));
      assert.ok(known.length > 5);
      for (const metadata of known) assert.deepEqual([metadata.sessionId, metadata.model], [id, model]);
    });

    it('counts the tokens that the model reported, and estimates their cost', async () => {
      const { metadata } = await ended(handle);
      assert.deepEqual(metadata?.usage, times(3));
      assert.equal(metadata.costProvenance.provenance, 'estimated');
    });

    it('resumes the conversation, and counts the run', async () => {
      const id = handle.summary().executor_session_id;
      const again = await agent.runs.resume(handle.id, 'What did I ask for? [[again]]');
      const { success, error, metadata } = await ended(again);
      assert.equal(success, true, error);
      assert.equal(again.summary().executor_session_id, id);
      assert.match(agent.runs.sentPrompt('again'), /Write notes[^]*First a look\.[^]*Done\.[^]*What did I ask for\?/);
      assert.deepEqual(metadata?.usage, times(1));
      assert.deepEqual(metadata.totalUsage, times(4));
    });

    it('reports if Gemini CLI lost the session, and resumes from the record', async () => {
      rmSync(path.join(agent.place.home, '.gemini/tmp'), { recursive: true });
      await agent.runs.losesConversation(handle.id);
      await agent.runs.startsNewConversation(handle.id);
    });
  });

  it('has no tools that need approval, and says so', async () => {
    const handle = await start('Try it. [[denied]]', 'default');
    assert.equal((await ended(handle)).success, true);
    assert.deepEqual(await toolStatuses(handle), ['denied']);
    assert.ok(!existsSync(path.join(agent.place.workspace, 'denied.txt')));
  });

  it('leaves no process when stopped in a tool, although its first process ignores signals', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
    const handle = await start('Sleep. [[sleep]]');
    assert.equal((await agent.runs.stopDuringCommand(handle, patience))[0], 'cancelled');
  });

  for (const [scenario, code, expected] of [
    ['refused', 'invalid_request', /Scripted refusal/],
    ['login', 'authentication_failed', /The key is not good/],
  ] as const) {
    it(`reports an invalid answer of the server (${scenario})`, async () => {
      const handle = await start(`Do it. [[${scenario}]]`);
      const { success, error = '', metadata } = await ended(handle);
      assert.equal(success, false);
      assert.match(error, expected);
      const errors = (await entriesOf(handle)).flatMap(({ type }) => (type.kind === 'error' ? [type.error.code] : []));
      assert.deepEqual(errors, [code]);
      assert.equal(metadata?.cost, null);
    });
  }

  it('can be stopped while it retries an overloaded server', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
    const handle = await start('Do it. [[overloaded]]');
    await agent.place.model.waitFor(({ scenario }) => scenario === 'overloaded');
    const reported = async () => (await contentsOf(handle, 'system_message stderr')).join().includes('503');
    await until('the notice', reported, patience);
    await agent.runs.engine.stop(handle.id);
    await waitForProcessEnd(agent.place.home);
    assert.equal((await ended(handle)).success, false);
  });
});
