import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import type { SessionHandle } from '../../../../src/engine/api.ts';
import { blueprintResumeRequest } from '../../../../src/engine/blueprints/resume.ts';
import { stopSessionTree } from '../../../../src/engine/children/stopSessionTree.ts';
import { isRecordedRefusal } from '../../../../src/engine/children/recordedRefusal.ts';
import { unmetDemands } from '../../../../src/engine/children/unmetDemands.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { EngineFailure } from '../../../../src/engine/failures/failures.ts';
import { agentFileSchema } from '../../../../src/model/agent/agent.ts';
import { Bench, readEntries, waitForResult, prompt } from '../../../support/fakeAgent/engine.ts';
import { Leads } from '../../../support/fakeAgent/lead.ts';
import { until } from '../../../support/until.ts';

const says = (words: string): string => prompt([{ init: true }, { say: words }, { result: { text: words } }]);
const program = 'mcp_servers: { x: { type: stdio, command: /bin/false } }\n';

describe('rules for sessions that agents start', () => {
  let bench: Bench;
  let leads: Leads;
  let engine: Engine;
  let note: string;
  let go: string;
  beforeEach(async () => {
    bench = new Bench();
    leads = new Leads(bench);
    engine = await leads.engine();
    leads.write('lead', 'limits: { max_children: 3 }\n');
    leads.write('helper', 'description: Helps\n');
    note = path.join(bench.dir, 'given.json');
    go = path.join(bench.dir, 'go');
  });
  afterEach(() => bench.close());

  const named = async (name: string, from = engine) =>
    (await from.list()).filter(({ agent_name }) => agent_name === name);
  const ended = (name: string) =>
    until(`the end of ${name}`, async () => (await named(name)).every(({ status }) => status === 'finished'));
  /** One that waits, with its tools. */
  async function lead() {
    const handle = await leads.start(engine, 'lead', [{ given: note }, { until: go }]);
    return { handle, call: await leads.tools(note) };
  }
  /** As a follow-up or a callback would continue. */
  const unasked = (handle: Pick<SessionHandle, 'id'>, from = engine) =>
    blueprintResumeRequest(handle.id, says('again'), {
      engine: from,
      blueprints: leads.load,
      use: leads.use,
      projectDir: bench.cwd,
    });
  const changed = /agent "lead" was changed or deleted after the user’s last message to this session/;
  const refused =
    (part: string, words = changed) =>
    (error: unknown) => {
      assert.ok(EngineFailure.is(error, 'child_refused'), String(error));
      assert.match(error.message, words);
      assert.ok(error.detail.includes(part), error.detail);
      assert.match(error.detail, /send a message yourself/);
      return true;
    };

  it('counts children that are started at once, each with the others', async () => {
    const { call } = await lead();
    const start = { agent_name: 'helper', prompt: says('here'), execution_mode: 'async_poll' };
    const answers = await Promise.all(Array.from({ length: 7 }, () => call('start_session', start)));
    assert.equal((await named('helper')).length, 3);
    assert.equal(
      answers.filter((answer) => answer.includes('has already started its maximum of 3 child sessions')).length,
      4,
    );
    await ended('helper');
  });

  it('start nothing for a run that has ended, even if its requests are still pending', async () => {
    let asked = 0;
    let give: (value: string) => void = () => undefined;
    const value = new Promise<string>((resolve) => (give = resolve));
    const input = () => {
      asked += 1;
      return value;
    };
    leads = new Leads(bench, { input });
    engine = await leads.engine();
    leads.write('asking', 'mcp_servers: { x: { type: http, url: "https://x.example/${input:token}" } }\n');
    const { handle, call } = await lead();
    const start = { agent_name: 'asking', prompt: says('I ran'), execution_mode: 'async_poll' };
    const answer = call('start_session', start).catch(String);
    await until('the question', () => asked > 0);
    const next = call('start_session', start).catch(String);
    await stopSessionTree(engine, handle.id);
    await Promise.all([answer, next]);
    give('secret');
    // What it was to start would be in the list by the end of another run.
    await waitForResult(await leads.start(engine, 'helper', []));
    assert.deepEqual(await named('asking'), []);
    assert.equal(asked, 1, 'nobody is asked for what has no caller any more');
  });

  it('stops a child that began while its parent was being stopped', async () => {
    const { handle, call } = await lead();
    const real = engine.start.bind(engine);
    // The window between the look at the caller and the start of the child.
    engine.start = async (request) => {
      const started = await real(request);
      await engine.stop(handle.id);
      return started;
    };
    const waits = prompt([{ init: true }, { forever: true }]);
    await call('start_session', { agent_name: 'helper', prompt: waits, execution_mode: 'async_poll' }).catch(String);
    await until('its end', async () => (await named('helper')).every(({ status }) => status === 'stopped'));
    assert.equal((await named('helper')).length, 1);
  });

  it('keeps the mode in which a child was resumed', async () => {
    const { call } = await lead();
    const start = { agent_name: 'helper', prompt: says('one'), execution_mode: 'async_poll' };
    const { session_id } = JSON.parse(await call('start_session', start)) as { session_id: string };
    await ended('helper');
    const again = { session_id, prompt: says('two'), execution_mode: 'async_callback' };
    const answer = JSON.parse(await call('resume_session', again)) as { execution_mode: string };
    assert.equal(answer.execution_mode, 'async_callback');
    await ended('helper');
    const record = readFileSync(engine.recordPath(session_id), 'utf8').trim().split('\n');
    const runs = record.flatMap((line) => {
      const { run } = JSON.parse(line) as { run?: { run_id: string; execution_mode: string } };
      return run === undefined ? [] : [run];
    });
    assert.deepEqual(
      [...new Map(runs.map(({ run_id, execution_mode }) => [run_id, execution_mode])).values()],
      ['async_poll', 'async_callback'],
    );
    assert.deepEqual(
      (await named('helper')).map(({ execution_mode }) => execution_mode),
      ['async_callback'],
    );
  });

  for (const { demands, unmet } of [
    { demands: '{ tags: [gpu, web] }', unmet: 'tags gpu' },
    { demands: '{ hostname: elsewhere, tags: [web] }', unmet: 'hostname "elsewhere"' },
    { demands: '{ project_dir: /elsewhere }', unmet: 'project_dir "/elsewhere"' },
    { demands: '{ executor_type: unheard-of }', unmet: 'executor_type "unheard-of"' },
    { demands: `{ hostname: "${hostname()}", executor_type: claude-code, tags: [web] }`, unmet: null },
  ]) {
    it(`starts a child that demands ${demands} only where that is met`, async () => {
      engine = await leads.engine({ tags: () => ['web'] });
      leads.write('helper', `demands: ${demands}\n`);
      const { call } = await lead();
      const answer = await call('start_session', { agent_name: 'helper', prompt: says('met') });
      if (unmet === null) assert.equal((JSON.parse(answer) as { result: string }).result, 'met');
      else assert.ok(answer.includes(`agent "helper": ${unmet}. The user must queue the run.`), answer);
      assert.equal((await named('helper')).length, unmet === null ? 1 : 0);
    });
  }

  it('lists only agents that can be started', async () => {
    engine = await leads.engine({ tags: () => ['web'] });
    leads.write('off', 'status: inactive\n');
    leads.write('web', 'demands: { tags: [web] }\n');
    leads.write('gpu', 'demands: { tags: [gpu] }\n');
    const { call } = await lead();
    leads.write('written', 'description: By an agent\n');
    const names = async () => (JSON.parse(await call('list_agents')) as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(await names(), ['helper', 'web']);
    for (let at = 0; at < 3; at += 1) await call('start_session', { agent_name: 'helper', prompt: says('done') });
    assert.deepEqual(await names(), []);
  });

  it('holds agents to the lowest depth of those above them', async () => {
    leads.write('lead', 'limits: { max_children: 3, max_depth: 2 }\n');
    leads.write('middle', 'limits: { max_children: 3, max_depth: 9 }\n');
    leads.write('low', 'limits: { max_children: 3, max_depth: 9 }\n');
    const { call } = await lead();
    const starts = (name: string, task: string) => [
      { init: true },
      { mcp: { tool: 'start_session', args: { agent_name: name, prompt: task } } },
      { result: {} },
    ];
    const low = prompt(starts('helper', says('too deep')));
    await call('start_session', { agent_name: 'middle', prompt: prompt(starts('low', low)) });
    const [session] = await named('low');
    const handle = await engine.open(session?.session_id ?? '');
    const said = (await readEntries(handle)).map(({ content }) => content);
    handle.dispose();
    assert.ok(
      said.some((text) => text.includes('Nesting limit for child agents reached: 2')),
      said.join('\n'),
    );
    assert.deepEqual(await named('helper'), []);
  });

  it('starts a child with another model, and in another folder if that is trusted', async () => {
    const trusted = path.join(bench.dir, 'trusted');
    const below = path.join(bench.cwd, 'below');
    for (const folder of [trusted, below]) mkdirSync(folder, { recursive: true });
    engine = await leads.engine({ isTrusted: (folder) => folder === trusted });
    const { call } = await lead();
    const childNote = path.join(bench.dir, 'child.json');
    const task = prompt([{ init: true }, { given: childNote }, { result: { text: 'done' } }]);
    const starts = (overrides: object) => call('start_session', { agent_name: 'helper', prompt: task, ...overrides });
    await starts({ model: 'haiku', project_dir: 'below' });
    const { args } = JSON.parse(readFileSync(childNote, 'utf8')) as { args: string[] };
    assert.equal(args[args.indexOf('--model') + 1], 'haiku');
    await starts({ project_dir: trusted });
    assert.match(await starts({ project_dir: bench.dir }), /is not trusted\. The user must start the agent there/);
    assert.match(await starts({ additional_demands: { tags: ['gpu'] } }), /demands of agent "helper": tags gpu/);
    const folders = (await named('helper')).map(({ project_dir }) => project_dir);
    assert.deepEqual(new Set(folders), new Set([below, trusted]));
  });

  it('takes the letter of a drive in either case for the folder that is demanded', () => {
    const unmet = (project_dir: string, cwd: string) => {
      const { demands } = agentFileSchema.parse({ demands: { project_dir } });
      return unmetDemands({ demands, folder: cwd, executor: 'claude-code' }, [])?.project_dir;
    };
    assert.equal(unmet('C:\\w', 'c:\\w'), undefined);
    assert.equal(unmet('C:\\w', 'c:\\W'), 'C:\\w');
  });

  it('takes no agent that was changed since a person spoke to its session, and says which file', async () => {
    const { handle } = await lead();
    const file = path.join(bench.cwd, '.vitrine/agents/lead.yaml');
    await unasked(handle);
    leads.write('lead', 'limits: { max_children: 1000 }\n' + program);
    await assert.rejects(unasked(handle), refused(file));
    rmSync(file);
    await assert.rejects(unasked(handle), refused('Check why the agent’s file is missing'));
    leads.write('lead', 'limits: { max_children: 3 }\n');
    const { options } = await unasked(handle);
    assert.equal(options?.mcpServers, undefined);
    writeFileSync(go, '');
    await waitForResult(handle);
    const record = readFileSync(engine.recordPath(handle.id), 'utf8');
    assert.equal(record.match(/"type":"agent_changed"/g)?.length, 2);
    // A person resumes it as it is.
    leads.write('lead', program);
    await waitForResult(await engine.resume(handle.id, { prompt: says('seen') }));
    assert.deepEqual(Object.keys((await unasked(handle)).options?.mcpServers ?? {}), ['x']);
  });

  it('sends no callback to an agent that was changed, until a person resumes it', async () => {
    const { handle, call } = await lead();
    const lasts = prompt([{ init: true }, { until: `${go}2` }, { say: 'late' }, { result: {} }]);
    await call('start_session', { agent_name: 'helper', prompt: lasts, execution_mode: 'async_callback' });
    leads.write('lead', 'limits: { max_children: 1000 }\n' + program);
    writeFileSync(go, '');
    await waitForResult(handle);
    writeFileSync(`${go}2`, '');
    const record = () => readFileSync(engine.recordPath(handle.id), 'utf8');
    await until('the refusal', () => record().includes('"type":"agent_changed"'));
    assert.equal(handle.summary().runs, 1);
    await until('that it waits', () => leads.callbacks().some((name) => !name.includes('taken')));
    await waitForResult(await engine.resume(handle.id, { prompt: says('I looked at it') }));
    await until('the callback', async () => (await readEntries(handle)).some(({ origin }) => origin === 'callback'));
    await until('its end', () => handle.summary().runs === 3 && handle.summary().status === 'finished');
    handle.dispose();
  });

  it('says once that an agent was changed, whatever window asks, until a person resumes it', async () => {
    const shown: string[] = [];
    const open = () => leads.engine({ onUndeliveredCallbacks: (_, { code }) => shown.push(code) });
    engine = await open();
    const { handle, call } = await lead();
    await call('start_session', { agent_name: 'helper', prompt: says('here'), execution_mode: 'async_callback' });
    await ended('helper');
    leads.write('lead', program);
    writeFileSync(go, '');
    await waitForResult(handle);
    const file = engine.recordPath(handle.id);
    handle.dispose();
    const said = () =>
      ['agent_changed', 'callback_undelivered'].map((type) => readFileSync(file, 'utf8').split(`"${type}"`).length - 1);
    await until('that it was said', () => said().every((times) => times === 1));
    await engine.dispose();
    engine = await open();
    await engine.sweep();
    await engine.children?.recover(() => true);
    await assert.rejects(unasked(handle), (error) => isRecordedRefusal(error) && refused('lead.yaml')(error));
    assert.deepEqual([said(), shown], [[1, 1], ['child_refused']]);
    leads.write('lead', `${program}description: Changed again\n`);
    await assert.rejects(unasked(handle), (error) => !isRecordedRefusal(error) && refused('lead.yaml')(error));
    assert.deepEqual(said(), [2, 1]);
    const refusal = path.join(path.dirname(file), 'refused-agent');
    assert.ok(existsSync(refusal));
    leads.write('lead', 'limits: { max_children: 3 }\n');
    await waitForResult(await engine.resume(handle.id, { prompt: says('I looked at it') }));
    await until('the callback', () => leads.callbacks().length === 0);
    assert.ok(!existsSync(refusal));
  });

  it('resumes the settings of the program and the folder that a session is of', async () => {
    const { handle } = await lead();
    const asked: unknown[] = [];
    const options = (...args: readonly unknown[]) => ({ extraArgs: [asked.push(args)].map(String) });
    leads.write('lead', 'executor_type: codex\n');
    const assertPermitted = () => Promise.resolve();
    const deps = {
      engine,
      blueprints: leads.load,
      use: { ...leads.use, options },
      projectDir: bench.dir,
      assertPermitted,
    };
    assert.deepEqual((await blueprintResumeRequest(handle.id, 'go', deps, { model: 'm' })).options, {
      extraArgs: ['1'],
      model: 'm',
    });
    assert.deepEqual(asked, [['claude-code', bench.cwd]]);
  });

  it('ask for no inputs for an agent file that no one has reviewed', async () => {
    let asked = 0;
    leads = new Leads(bench, { input: () => Promise.resolve(String((asked += 1))) });
    engine = await leads.engine();
    const { handle } = await lead();
    leads.write('lead', 'mcp_servers: { x: { type: http, url: "https://x.example/${input:token}" } }\n');
    await assert.rejects(unasked(handle), EngineFailure);
    assert.equal(asked, 0);
  });

  it('remember after a restart which files were seen; if that is lost, none counts', async () => {
    const { handle, call } = await lead();
    const waits = prompt([{ init: true }, { forever: true }]);
    await call('start_session', { agent_name: 'helper', prompt: waits, execution_mode: 'async_poll' });
    const [child] = await named('helper');
    writeFileSync(go, '');
    await waitForResult(handle);
    handle.dispose();
    await engine.dispose();
    engine = await leads.engine();
    await engine.sweep();
    await unasked(handle);
    await unasked({ id: child?.session_id ?? '' });
    const seen = path.join(path.dirname(engine.recordPath(handle.id)), 'seen-agents.json');
    if (process.platform !== 'win32') assert.equal(statSync(seen).mode & 0o777, 0o600);
    leads.write('late', program);
    const steps = [{ init: true }, { mcp: { tool: 'start_session', args: { agent_name: 'late', prompt: says('x') } } }];
    const request = { ...(await unasked(handle)), prompt: prompt([...steps, { result: {} }]) };
    const again = await engine.resume(handle.id, { ...request, origin: 'callback' });
    await waitForResult(again);
    assert.ok(
      (await readEntries(again)).some(({ content }) => content.includes('changed after the user’s last message')),
    );
    assert.deepEqual(await named('late'), []);
    for (const text of ['{', '[]', '{"lead":1}', null]) {
      if (text === null) rmSync(seen);
      else writeFileSync(seen, text);
      await assert.rejects(unasked(handle), refused('lead.yaml', /^Could not verify that .* "lead" has not changed/));
    }
  });
});
