import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { SessionHandle } from '../../../src/engine/api.ts';
import type { TokenUsage } from '../../../src/model/usage/usage.ts';
import { codexVariables, codexVersions, configureCodex, ensureCodex } from '../../support/agents/codex.ts';
import { contentsOf, ended, entriesOf, toolsOf } from '../../support/agents/runs.ts';
import { agentSuite } from '../../support/agents/suite.ts';
import { codexScenarios } from '../../support/models/scripts/codexScenarios.ts';
import { startOpenaiServer } from '../../support/models/openai.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';

/** What `answers` answers of the script use, as far as the version counts it. */
function used(version: string, answers: number): TokenUsage {
  const all = { input: 400, output: 60, cacheRead: 800, cacheWrite: 100, reasoning: 20 };
  const counted = version === '0.169.0' ? all : { input: 500, output: 60, cacheRead: 800 };
  const kinds = version === '0.20.0' ? { ...counted, reasoning: 20 } : counted;
  return Object.fromEntries(Object.entries(kinds).map(([kind, count]) => [kind, count * answers]));
}

for (const version of codexVersions) {
  const threads = version !== '0.20.0';

  describe(`Codex ${version}`, function () {
    const agent = agentSuite({
      ensure: () => ensureCodex(version),
      runs: 'codex',
      name: 'codex',
      variables: codexVariables,
      scenarios: () => codexScenarios(version),
      serve: startOpenaiServer,
      configure: (home, modelUrl) => configureCodex(home, modelUrl, version),
    });

    describe('one session', () => {
      let handle: SessionHandle;
      let id: string | undefined;

      it('runs commands and changes files, each reported once', async () => {
        handle = await agent.runs.start('Write notes. [[change]]', { permissionMode: 'bypassPermissions' });
        const result = await ended(handle);
        assert.equal(result.success, true, result.error);
        assert.equal(result.data, 'Done.');
        assert.equal(readFileSync(path.join(agent.place.workspace, 'NOTES.md'), 'utf8'), '# Notes\n');
        const tools = await toolsOf(handle);
        // Which of two calls at once begins first is left to chance.
        assert.deepEqual(tools.map(({ action, status }) => `${action.kind} ${status}`).sort(), [
          'command_run failed',
          'command_run success',
          'file_edit success',
        ]);
        const failing = tools.find(({ status }) => status === 'failed');
        const change = tools.at(-1);
        assert.ok(failing?.action.kind === 'command_run' && failing.action.exitCode === 3);
        assert.match(failing.result?.text ?? '', /seen/);
        assert.ok(change?.action.kind === 'file_edit');
        assert.deepEqual(
          change.action.changes.map(({ path: file, kind }) => `${kind} ${path.basename(file)}`),
          ['add NOTES.md'],
        );
        assert.deepEqual(await contentsOf(handle, 'assistant_message'), ['First a look.', 'Done.']);
        assert.deepEqual(await contentsOf(handle, 'thinking'), ['Nothing is written yet.']);
      });

      it('counts the tokens that the model reported, and estimates their cost', async () => {
        const { metadata } = await ended(handle);
        assert.deepEqual(metadata?.usage, used(version, 3));
        assert.deepEqual(metadata.totalUsage, used(version, 3));
        assert.match(metadata.model ?? '', /^gpt-5\.[25]$/);
        assert.equal(metadata.costProvenance.provenance, 'estimated');
      });

      it(threads ? 'has the id of the thread in all entries' : 'has no id, and says so', async () => {
        id = handle.summary().executor_session_id;
        const [, ...entries] = await entriesOf(handle);
        assert.notEqual(entries.length, 0);
        const known = entries.filter(({ metadata }) => metadata !== undefined);
        assert.ok(known.length >= entries.length - 1);
        if (threads) assert.match(id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
        else assert.equal(id, undefined);
        for (const { metadata } of known) {
          assert.equal(metadata?.sessionId, id ?? null);
          assert.equal(metadata.model, threads ? null : 'gpt-5.2');
        }
      });

      if (!threads) {
        it('cannot be resumed without an id', async () => {
          await assert.rejects(agent.runs.resume(handle.id, 'What did I ask for? [[again]]'), (error: Error) => {
            assert.match(error.message, /0\.20\.0 prints no ID to resume/);
            return true;
          });
          assert.equal(agent.place.model.asked.filter(({ scenario }) => scenario === 'again').length, 0);
        });

        it('continues in a new conversation with a summary', async () => {
          const isNewConversation = await agent.runs.keep(
            agent.runs.engine.startNewConversation(handle.id, { prompt: 'Go on. [[again]]' }),
          );
          assert.equal((await ended(isNewConversation)).success, true);
          assert.match(agent.runs.sentPrompt('again'), /Write notes/);
        });
        return;
      }

      it('resumes the conversation, and counts only new tokens', async () => {
        const again = await agent.runs.resume(handle.id, 'What did I ask for? [[again]]');
        const { success, error, metadata } = await ended(again);
        assert.equal(success, true, error);
        assert.equal(again.summary().executor_session_id, id);
        assert.match(agent.runs.sentPrompt('again'), /Write notes[^]*First a look\.[^]*Done\.[^]*What did I ask for\?/);
        assert.deepEqual(metadata?.usage, used(version, 1));
        assert.deepEqual(metadata.totalUsage, used(version, 4));
      });

      it('reports if Codex lost the thread, and resumes from the record', async () => {
        rmSync(path.join(agent.place.home, '.codex/sessions'), { recursive: true });
        if (version === '0.77.0') {
          // It begins another thread without a word; Vitrine says so.
          const lost = await agent.runs.resume(handle.id, 'Are you there? [[again]]');
          const result = await ended(lost);
          assert.match(result.warnings?.join('\n') ?? '', /did not resume the conversation/);
          assert.notEqual(lost.summary().executor_session_id, id);
        } else {
          await agent.runs.losesConversation(handle.id);
        }
        await agent.runs.startsNewConversation(handle.id);
      });
    });

    it('writes nothing if its sandbox forbids it', async function () {
      if (process.platform !== 'linux') skip(this, 'the sandbox of other systems was not measured');
      const handle = await agent.runs.start('Write. [[write]]', { permissionMode: 'read-only' });
      assert.equal((await ended(handle)).success, true);
      assert.match((await toolsOf(handle))[0]?.result?.text ?? '', /read-only|denied|not permitted/i);
      assert.ok(!existsSync(path.join(agent.place.workspace, 'written.txt')));
    });

    it('leaves no process when stopped in a tool', async function () {
      if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
      const handle = await agent.runs.start('Sleep. [[sleep]]', { permissionMode: 'bypassPermissions' });
      // The command is stopped, too, and Codex may still print that it failed.
      assert.match((await agent.runs.stopDuringCommand(handle))[0] ?? '', /^(cancelled|failed)$/);
    });

    for (const [scenario, expected] of [
      ['refused', /Scripted refusal/],
      ['login', /401 Unauthorized/],
      ['limit', /429|limit/i],
    ] as const) {
      it(`reports an invalid answer of the server (${scenario})`, async () => {
        const handle = await agent.runs.start(`Do it. [[${scenario}]]`);
        // Old versions do not end on their own after an error.
        if (!threads) {
          await until('the error', async () => (await contentsOf(handle, 'error')).length > 0, 60_000);
          await agent.runs.engine.stop(handle.id);
        }
        const { success, error = '', metadata } = await ended(handle);
        assert.equal(success, false);
        assert.match((await contentsOf(handle, 'error')).join('\n'), expected);
        if (threads) assert.match(error, expected);
        assert.equal(metadata?.cost, null);
      });
    }

    it('continues after an interrupted answer', async () => {
      const handle = await agent.runs.start('Try. [[cut]]');
      const result = await ended(handle);
      assert.equal(result.success, true, result.error);
      assert.equal((await contentsOf(handle, 'system_message retry')).length, 1);
      assert.equal(result.data, 'Whole again.');
      const said = await contentsOf(handle, 'assistant_message');
      assert.equal(said.at(-1), 'Whole again.');
    });
  });
}
