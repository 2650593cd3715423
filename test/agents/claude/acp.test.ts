import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Forks } from '../../../src/daemon/sessions/forks.ts';
import { claudeAcpVersion, ensureClaudeAcp } from '../../support/agents/acp.ts';
import { contentsOf, ended, entriesOf, toolsOf, toolStatuses } from '../../support/agents/runs.ts';
import { agentSuite } from '../../support/agents/suite.ts';
import { answerRequests, forSession, once } from '../../support/sessions/answering.ts';
import { text, tool, type Scenarios } from '../../support/models/scripts/scenario.ts';
import { skip } from '../../support/skip.ts';

const usage = { input_tokens: 12, cache_creation_input_tokens: 1000, cache_read_input_tokens: 2000, output_tokens: 50 };

function scenarios(workspace: string): Scenarios {
  const write = (name: string) => tool('Write', { file_path: `${workspace}/${name}`, content: `${name}\n` });
  const bash = (command: string) => tool('Bash', { command, description: 'A command' });
  return {
    change: [
      { blocks: [text('I write a note.'), write('NOTES.md')], usage },
      { blocks: [text('Done.')], usage },
    ],
    again: [{ blocks: [text('You asked for notes.')], usage }],
    denied: [{ blocks: [write('denied.txt')] }, { blocks: [text('Not allowed, then.')] }],
    session: [{ blocks: [write('one.txt')] }, { blocks: [write('two.txt')] }, { blocks: [text('Both.')] }],
    sleep: [{ blocks: [bash('echo started > started.txt; sleep 600')] }, { hang: true }],
    copy: [{ blocks: [text('Notes, too.')], usage }],
    hang: [{ hang: true }],
  };
}

describe(`Claude Agent ${claudeAcpVersion}, by the Agent Client Protocol`, function () {
  const agent = agentSuite({
    ensure: ensureClaudeAcp,
    runs: 'acp',
    profile: 'claude-agent-acp',
    interactive: true,
    name: 'claude-agent-acp',
    scenarios,
    // Without settings of its own: it asks before it changes anything.
    configure: () => undefined,
  });
  const at = (name: string): string => path.join(agent.place.workspace, name);

  it('asks, writes what is allowed, and resumes the conversation', async () => {
    const handle = await agent.runs.start('Write notes. [[change]]');
    const asked = answerRequests(handle, once);
    const first = await ended(handle);
    assert.equal(first.success, true, first.error);
    assert.equal(readFileSync(at('NOTES.md'), 'utf8'), 'NOTES.md\n');
    assert.equal(asked[0]?.toolName, 'Write');
    assert.ok(asked[0].action?.kind === 'file_write' || asked[0].action?.kind === 'file_edit');
    assert.match(asked[0].session ?? '', /all edits during this session/);
    const tools = await toolsOf(handle);
    assert.deepEqual(
      tools.map(({ toolName, status, callId }) => [toolName, status, callId]),
      [['Write', 'success', asked[0].callId]],
    );
    assert.deepEqual(await contentsOf(handle, 'assistant_message'), ['I write a note.', 'Done.']);
    const { executor_session_id: id, agent_version } = handle.summary();
    assert.match(id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    assert.equal(agent_version, claudeAcpVersion);
    assert.equal(first.metadata?.costProvenance.provenance, 'reported');
    // Perhaps with the question for a title, which the agent asks beside the conversation.
    const two = { input: 24, output: 100, cacheRead: 4000, cacheWrite: 2000, reasoning: 0 };
    const three = { input: 36, output: 150, cacheRead: 6000, cacheWrite: 3000, reasoning: 0 };
    assert.deepEqual(first.metadata.usage, first.metadata.usage.input === two.input ? two : three);

    const again = await agent.runs.resume(handle.id, 'What did I ask for? [[again]]');
    const second = await ended(again);
    assert.equal(second.success, true, second.error);
    assert.equal(again.summary().executor_session_id, id);
    assert.match(agent.runs.sentPrompt('again'), /Write notes[^]*I write a note\.[^]*Done\.[^]*What did I ask for\?/);
    assert.ok((await entriesOf(again)).every(({ type }) => type.kind !== 'error'));
    assert.ok((second.metadata?.totalCost ?? 0) > (first.metadata.totalCost ?? 0));
  });

  it('continues a copy of its conversation in a fork', async () => {
    const origin = await agent.runs.start('Remember blue. [[again]]');
    assert.equal((await ended(origin)).success, true);
    const { engine } = agent.runs;
    const sources = { historyOf: () => Promise.resolve(undefined) };
    const forks = new Forks({ engine, sources, open: (id) => engine.open(id) });
    assert.equal((await forks.plan(origin.id)).way, 'conversation');
    const forked = await agent.runs.resume(await forks.create(origin.summary()), 'And in the copy? [[copy]]');
    const result = await ended(forked);
    assert.equal(result.success, true, result.error);
    assert.match(agent.runs.sentPrompt('copy'), /Remember blue\.[^]*You asked for notes\.[^]*And in the copy\?/);
    assert.doesNotMatch(agent.runs.sentPrompt('copy'), /Note written by Vitrine/);
    const [before, after] = [origin.summary(), forked.summary()];
    assert.notEqual(after.executor_session_id, before.executor_session_id);
    assert.deepEqual(after.total_usage, after.usage, 'what came before is not counted again');
    assert.ok((await entriesOf(forked)).some(({ content }) => content === 'You asked for notes.'));
  });

  it('does not change what was denied', async () => {
    const handle = await agent.runs.start('Try it. [[denied]]');
    answerRequests(handle, { kind: 'deny' });
    assert.equal((await ended(handle)).success, true);
    assert.deepEqual(await toolStatuses(handle), ['denied']);
    assert.ok(!existsSync(at('denied.txt')));
  });

  it('asks once for what is allowed for the session', async () => {
    const handle = await agent.runs.start('Two files. [[session]]');
    const asked = answerRequests(handle, forSession, { kind: 'deny' });
    assert.equal((await ended(handle)).success, true);
    assert.equal(asked.length, 1);
    assert.deepEqual([existsSync(at('one.txt')), existsSync(at('two.txt'))], [true, true]);
  });

  it('gets the next message in the same process, which interrupts the turn', async () => {
    const handle = await agent.runs.start('Wait. [[hang]]');
    await agent.place.model.waitFor(({ scenario }) => scenario === 'hang');
    handle.conversation()?.sendMessage('What now? [[again]]', 'interrupt');
    const result = await ended(handle);
    assert.equal(result.success, true, result.error);
    assert.equal(result.data, 'You asked for notes.');
    assert.equal((await contentsOf(handle, 'system_message interrupted')).length, 1);
    assert.equal(handle.turns().length, 1);
  });

  it('starts in the selected mode, and rejects an unknown one', async () => {
    const handle = await agent.runs.start('Hello. [[again]]', { permissionMode: 'plan', model: 'sonnet' });
    assert.equal((await ended(handle)).success, true);
    assert.equal(handle.summary().permission_mode, 'plan');
    const other = await agent.runs.start('Hello. [[again]]', { permissionMode: 'reckless' });
    assert.match(
      (await ended(other)).error ?? '',
      /no permission mode "reckless"\. It has: default, acceptEdits, plan/,
    );
  });

  it('leaves no process when stopped during a command', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
    const handle = await agent.runs.start('Sleep. [[sleep]]');
    answerRequests(handle, once);
    assert.deepEqual(await agent.runs.stopDuringCommand(handle), ['cancelled']);
  });
});
