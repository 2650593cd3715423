import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { adapters } from '../../src/agents/registry.ts';
import type { SessionHandle } from '../../src/engine/api.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { RunResult } from '../../src/model/result.ts';
import type { ToolUse } from '../../src/model/tool.ts';
import { copilotVersion, ensureCopilot } from '../support/agents/copilot.ts';
import { copilotVariables } from '../support/agents/environment.ts';
import { agentPlace, processesOf, type AgentPlace } from '../support/agents/place.ts';
import { turnsOf } from '../support/models/conversation.ts';
import { text, tool, type Scenarios } from '../support/models/scenario.ts';
import { skip } from '../support/skip.ts';
import { until } from '../support/until.ts';

const silent = (): void => undefined;
const usage = { input_tokens: 12, cache_creation_input_tokens: 1000, cache_read_input_tokens: 2000, output_tokens: 50 };

function scenarios(workspace: string): Scenarios {
  const bash = (command: string) => tool('bash', { command, description: 'A command' });
  const note = tool('create', { path: `${workspace}/NOTES.md`, file_text: '# Notes\n' });
  return {
    change: [
      { blocks: [text('First a look.'), bash('echo seen; exit 3'), note], usage },
      { blocks: [text('Done.')], usage },
    ],
    again: [{ blocks: [text('You asked for notes.')], usage }],
    denied: [{ blocks: [bash('touch denied.txt')] }, { blocks: [text('Not allowed.')] }],
    sleep: [{ blocks: [bash('echo started > started.txt; sleep 600')] }, { blocks: [text('Slept well.')] }],
  };
}

async function toolsOf(handle: SessionHandle): Promise<ToolUse[]> {
  const entries = await handle.read(0, handle.total());
  return entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
}

async function ended(handle: SessionHandle): Promise<RunResult> {
  const result = await handle.done;
  assert.ok(result, 'no run');
  return result;
}

describe(`Copilot CLI ${copilotVersion}`, function () {
  this.timeout(60_000);
  let place: AgentPlace;
  let engine: Engine;
  const handles: SessionHandle[] = [];

  before(async function () {
    this.timeout(300_000);
    const installed = await ensureCopilot();
    if ('missing' in installed) skip(this, installed.missing);
    place = await agentPlace(installed.program, { name: 'copilot', variables: copilotVariables, scenarios });
    engine = new Engine({
      storeDir: place.store,
      clock: () => Date.now(),
      randomHex: (digits) => randomBytes(digits).toString('hex').slice(0, digits),
      environment: place.env,
      settings: () => ({}),
      log: { debug: silent, info: silent, warn: silent, error: silent },
      demoDir: '',
      adapters,
    });
  });
  after(async () => {
    for (const handle of handles) handle.dispose();
    // Undefined where the suite was skipped.
    await (engine as Engine | undefined)?.dispose();
    await (place as AgentPlace | undefined)?.remove();
  });

  const kept = async (opening: Promise<SessionHandle>): Promise<SessionHandle> => {
    const handle = await opening;
    handles.push(handle);
    return handle;
  };
  const start = (prompt: string, permissionMode?: string): Promise<SessionHandle> => {
    const options = permissionMode === undefined ? {} : { permissionMode };
    return kept(engine.start({ agent: 'copilot', prompt, cwd: place.workspace, options }));
  };

  it('runs tools, is told apart by its id, and goes on with what was said before', async () => {
    const handle = await start('Write notes. [[change]]', 'bypassPermissions');
    const first = await ended(handle);
    assert.equal(first.success, true, first.error);
    assert.equal(first.data, 'Done.');
    assert.equal(readFileSync(path.join(place.workspace, 'NOTES.md'), 'utf8'), '# Notes\n');
    const tools = await toolsOf(handle);
    assert.deepEqual(
      tools.map(({ toolName, action, status }) => `${toolName} ${action.kind} ${status}`),
      ['bash command_run failed', 'create file_write success'],
    );
    assert.ok(tools[0]?.action.kind === 'command_run' && tools[0].action.exitCode === 3);

    const id = handle.summary().executor_session_id;
    assert.match(id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    const entries = await handle.read(1, handle.total());
    assert.ok(entries.every(({ metadata }) => metadata?.sessionId === id));
    assert.deepEqual(first.metadata?.usage, { input: 24, output: 100, cacheRead: 4000, cacheWrite: 2000 });
    assert.equal(first.metadata.costProvenance.provenance, 'estimated');

    const again = await kept(engine.resume(handle.id, { prompt: 'What did I ask for? [[again]]' }));
    const second = await ended(again);
    assert.equal(second.success, true, second.error);
    assert.equal(again.summary().executor_session_id, id);
    const asked = place.model.asked.findLast(({ scenario }) => scenario === 'again');
    assert.match(
      asked === undefined ? '' : turnsOf(asked.request).join('\n'),
      /Write notes[^]*Done\.[^]*What did I ask/,
    );
    // The agent's file counts the session; the run is what came on top.
    assert.deepEqual(second.metadata?.usage, { input: 12, output: 50, cacheRead: 2000, cacheWrite: 1000 });
    assert.deepEqual(second.metadata.totalUsage, { input: 36, output: 150, cacheRead: 6000, cacheWrite: 3000 });
  });

  it('refuses what was not allowed', async () => {
    const handle = await start('Try it. [[denied]]');
    assert.equal((await ended(handle)).success, true);
    assert.deepEqual(
      (await toolsOf(handle)).map(({ status }) => status),
      ['denied'],
    );
    assert.ok(!existsSync(path.join(place.workspace, 'denied.txt')));
  });

  it('leaves no process when it is stopped during a tool run, though its loader keeps signals', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
    const handle = await start('Sleep. [[sleep]]', 'bypassPermissions');
    await until('the command', () => existsSync(path.join(place.workspace, 'started.txt')));
    assert.notDeepEqual(processesOf(place.home), []);
    await engine.stop(handle.id);
    assert.deepEqual(processesOf(place.home), []);
    assert.equal((await ended(handle)).success, false);
    assert.equal(handle.turns().at(-1)?.status, 'stopped');
    assert.deepEqual(
      (await toolsOf(handle)).map(({ status }) => status),
      ['cancelled'],
    );
  });
});
