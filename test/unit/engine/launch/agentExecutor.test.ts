import assert from 'node:assert/strict';
import { claudeCode } from '../../../../src/agents/claude-code/adapter.ts';
import { AgentExecutor, ClaudeCodeExecutor, createOutputChunks } from '../../../../src/engine/launch/agentExecutor.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { fakeAgent, prompt } from '../../../support/fakeAgent/engine.ts';

describe('executor', () => {
  it('reads as the example of the specification does', async () => {
    const executor = new ClaudeCodeExecutor({ program: fakeAgent });
    const workDir = process.cwd();
    const task = { prompt: prompt([{ init: true }, { say: 'hello' }, { result: { text: 'hello' } }]), workDir };
    const spawned = await executor.executeTask(task);
    const entries: NormalizedEntry[] = [];
    for await (const entry of executor.normalizeOutput(createOutputChunks(spawned.process), workDir, {
      exit: spawned.process.exit,
      settledOnly: true,
    })) {
      entries.push(entry);
    }
    assert.deepEqual(
      entries.map(({ index, type }) => `${index} ${type.kind}`),
      ['0 system_message', '1 assistant_message', '2 system_message'],
    );
    const sessionId = entries[1]?.metadata?.sessionId;
    assert.ok(typeof sessionId === 'string');
    assert.equal(sessionId, spawned.sessionId);

    const nextTask = { prompt: prompt([{ unknownUnless: sessionId }, { init: true }]), workDir };
    const resumed = await executor.resumeTask(nextTask, sessionId);
    const ids: unknown[] = [];
    for await (const entry of executor.normalizeOutput(createOutputChunks(resumed.process), workDir)) {
      ids.push(entry.metadata?.sessionId);
    }
    assert.equal(ids[0], sessionId);
    assert.deepEqual(await resumed.process.exit, { code: 0, signal: null });
  });

  it('reads chunks from anywhere', async () => {
    const executor = new AgentExecutor(claudeCode);
    async function* chunks() {
      yield { type: 'stdout', data: '{"type":"system","subtype":"init","session_id":"s"', timestamp: 0 } as const;
      yield await Promise.resolve({ type: 'stdout', data: ',"model":"m"}\nnonsense', timestamp: new Date(0) } as const);
    }
    const entries: NormalizedEntry[] = [];
    for await (const entry of executor.normalizeOutput(chunks(), '/work')) entries.push(entry);
    assert.deepEqual(entries[0]?.metadata?.sessionId, 's');
    assert.ok(entries.some(({ type }) => type.kind === 'error' && type.error.code === 'malformed_line'));
  });

  it('says what the agent can do', () => {
    assert.equal(new ClaudeCodeExecutor().getCapabilities().resume.supported, true);
  });
});
