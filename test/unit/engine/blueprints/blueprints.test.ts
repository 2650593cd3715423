import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { loadBlueprints, type Blueprint } from '../../../../src/engine/blueprints/load.ts';
import { findBlueprint, resumeRequest, startRequest } from '../../../../src/engine/blueprints/request.ts';
import { EngineFailure } from '../../../../src/engine/failures/failures.ts';
import { claudeCode } from '../../../../src/agents/claude-code/adapter.ts';
import { codex } from '../../../../src/agents/codex/adapter.ts';
import { Bench, readEntries, fakeAgent, waitForResult, prompt } from '../../../support/fakeAgent/engine.ts';
import { isWindows, platformVariables } from '../../../support/platform.ts';
import { skip } from '../../../support/skip.ts';

const secret = 'never-in-a-record';

describe('agent files', () => {
  let bench: Bench;
  let here: string;
  let home: string;
  beforeEach(() => {
    bench = new Bench();
    here = path.join(bench.dir, 'here');
    home = path.join(bench.dir, 'home');
  });
  afterEach(() => bench.close());

  async function file(name: string, text: string, folder = here): Promise<void> {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  const load = () =>
    loadBlueprints([
      { folder: here, level: 'workspace' },
      { folder: home, level: 'user' },
    ]);
  const shown = (blueprints: readonly Blueprint[]) =>
    blueprints.map(({ name, level, agent, problems }) =>
      [name, level, agent?.status ?? 'unusable', ...problems.map(({ message }) => message)].join(' | '),
    );
  const use = (words: string, inputs: Readonly<Record<string, string>> = {}) => ({
    prompt: words,
    cwd: bench.cwd,
    options: () => ({ model: 'of the settings', appendSystemPrompt: 'Of the settings.' }),
    environment: { KEY: secret },
    input: (name: string) => Promise.resolve(inputs[name]),
  });

  it('are files and folders of the workspace and the user', async () => {
    await file('a.yaml', 'description: A\n');
    await file('b/agent.json', '{"description":"B"}');
    await file('b/prompt.md', '# You are B.\n');
    await file('notes.txt', 'no agent');
    await file('c.yml', 'status: inactive\n', home);
    const found = await load();
    assert.deepEqual(shown(found), ['a | workspace | active', 'b | workspace | active', 'c | user | inactive']);
    assert.equal(found[1]?.agent?.system_prompt, '# You are B.\n');
    assert.ok(!Number.isNaN(Date.parse(found[0]?.agent?.created_at ?? '')));
    assert.ok(!Number.isNaN(Date.parse(found[0]?.agent?.modified_at ?? '')));
  });

  it('are empty without a folder', async () => {
    assert.deepEqual(await load(), []);
  });

  it('do not affect each other if one is invalid', async () => {
    await file('broken.yaml', 'tags: [\n');
    await file('fine.yaml', 'description: F\n');
    await file('two prompts/agent.yaml', 'name: two\nsystem_prompt: x\n');
    await file('two prompts/prompt.md', 'y');
    await file('odd name!.yaml', '{}');
    const found = await load();
    assert.deepEqual(shown(found), [
      'broken | workspace | unusable | Flow sequence in block collection must be sufficiently indented and end with a ].',
      'fine | workspace | active',
      'odd name! | workspace | unusable | "odd name!" cannot be the name of an agent. Rename the file, or add a "name" to it.',
      'two | workspace | unusable | Both this file and prompt.md have a system prompt. Keep one of them.',
    ]);
  });

  it('have unique names, with priority for the workspace', async () => {
    await file('a.yaml', 'name: x\n');
    await file('b.yaml', 'name: x\n');
    await file('x.yaml', 'description: mine\n', home);
    const [first, second, third] = await load();
    assert.equal(first?.agent?.name, 'x');
    assert.match(second?.problems[0]?.message ?? '', /There is another agent "x": .*a\.yaml/);
    assert.equal(second?.problems[0]?.severity, 'error');
    assert.match(third?.problems[0]?.message ?? '', /The workspace has its own agent "x"/);
    assert.equal(third?.problems[0]?.severity, 'warning');
    assert.equal(third.agent, null);
  });

  it('are separate for each folder of a workspace', async () => {
    const there = path.join(bench.dir, 'there');
    await file('a.yaml', 'description: here\n');
    await file('a.yaml', 'description: there\n', there);
    await file('a.yaml', 'description: mine\n', home);
    const found = await loadBlueprints([
      { folder: here, level: 'workspace' },
      { folder: there, level: 'workspace' },
      { folder: home, level: 'user' },
    ]);
    assert.deepEqual(
      found.map(({ agent }) => agent?.description),
      ['here', 'there', undefined],
    );
    assert.deepEqual(
      found.map(({ problems }) => problems.map(({ severity }) => severity)),
      [[], [], ['warning']],
    );
  });

  it('are listed once if a folder is given twice, by any path', async function () {
    await file('a.yaml', 'description: A\nmax: 1\n');
    await symlink(here, home, 'junction').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOTSUP') skip(this, 'Wine makes no links');
      throw error;
    });
    const once = await loadBlueprints([{ folder: here, level: 'workspace' }]);
    assert.equal(once[0]?.problems.length, 1);
    assert.deepEqual(await load(), once);
    const spelled = { folder: `${here}/../here/`, level: 'user' } as const;
    assert.deepEqual(await loadBlueprints([{ folder: here, level: 'workspace' }, spelled]), once);
    assert.deepEqual(await loadBlueprints([{ folder: 'not/there', level: 'user' }]), []);
  });

  it('count as changed when their instructions change', async () => {
    await file('b/agent.yaml', 'description: B\n');
    await file('b/prompt.md', 'Be B.\n');
    const changed = async (agent: number, prompts: number): Promise<string | undefined> => {
      await utimes(path.join(here, 'b/agent.yaml'), agent, agent);
      await utimes(path.join(here, 'b/prompt.md'), prompts, prompts);
      return (await load())[0]?.agent?.modified_at;
    };
    assert.equal(await changed(1e9, 1e9 + 60), '2001-09-09T01:47:40.000Z');
    assert.equal(await changed(1e9, 1e9 - 60), '2001-09-09T01:46:40.000Z');
  });

  it('explain why they cannot be started', async () => {
    await file('off.yaml', 'status: inactive\n');
    await file('broken.yaml', 'description: x\nstatus: paused\n');
    await file('on.yaml', '{}');
    const found = await load();
    const why = (name: string): string => {
      try {
        findBlueprint(found, name);
      } catch (error) {
        if (EngineFailure.is(error)) return `${error.code}: ${error.message} ${error.detail}`;
      }
      return '';
    };
    assert.match(
      why('off'),
      /^blueprint_unusable: The agent "off" is inactive\. To start it, set "status" to "active": .*off\.yaml/,
    );
    assert.match(why('broken'), /^blueprint_unusable: .*broken\.yaml:2: "status" must be one of: active, inactive\./s);
    assert.equal(why('none'), 'blueprint_unknown: Agent not found: "none". Available: on.');
  });

  const withServer = `
name: helper
model: opus
system_prompt: You help.
limits: { max_turns: 4, max_budget_usd: 0.5 }
mcp_servers:
  search:
    type: stdio
    command: \${workspaceFolder}/search
    env: { KEY: "\${env:KEY}", TOKEN: "\${input:token}" }
`;

  it('give a run their model, instructions, limits and servers, without secrets in the record', async () => {
    await file('helper.yaml', withServer);
    const agent = findBlueprint(await load(), 'helper');
    const engine = await bench.engine();
    const note = path.join(bench.dir, 'given.json');
    const steps = prompt([{ init: true }, { given: note }, { say: 'done' }, { result: {} }]);
    const handle = await engine.start(await startRequest(agent, use(steps, { token: `${secret}-2` })));
    assert.equal((await waitForResult(handle)).success, true);
    const launched = JSON.parse(await readFile(note, 'utf8')) as Record<string, unknown> & {
      args: string[];
      file: string;
    };
    assert.deepEqual(launched['config'], {
      mcpServers: {
        search: {
          type: 'stdio',
          command: `${bench.cwd}/search`,
          args: [],
          env: { KEY: secret, TOKEN: `${secret}-2` },
        },
      },
    });
    assert.equal(launched['mode'], isWindows ? '666' : '600');
    const after = (name: string) => launched.args[launched.args.indexOf(name) + 1];
    assert.deepEqual(['--model', '--max-turns', '--max-budget-usd', '--append-system-prompt'].map(after), [
      'opus',
      '4',
      '0.5',
      'Of the settings.\n\nYou help.',
    ]);
    assert.ok(!existsSync(path.dirname(launched.file)), 'the private folder is gone with the run');
    assert.equal(handle.summary().agent_name, 'helper');
    await engine.dispose();
    for (const name of await readdir(bench.store, { recursive: true, withFileTypes: true })) {
      if (!name.isFile()) continue;
      const text = await readFile(path.join(name.parentPath, name.name), 'utf8');
      assert.ok(!text.includes(secret), `${name.name} has no secret`);
    }
  });

  it('are reread when the session is resumed', async () => {
    await file('helper.yaml', withServer);
    const engine = await bench.engine();
    const steps = prompt([{ init: true }, { result: {} }]);
    const first = await engine.start(
      await startRequest(findBlueprint(await load(), 'helper'), use(steps, { token: 't' })),
    );
    await waitForResult(first);
    await file('helper.yaml', 'system_prompt: You help less.\n');
    const note = path.join(bench.dir, 'given.json');
    const again = prompt([{ init: true }, { given: note }, { result: {} }]);
    const handle = await engine.resume(
      first.id,
      await resumeRequest(findBlueprint(await load(), 'helper'), use(again)),
    );
    await waitForResult(handle);
    const launched = JSON.parse(await readFile(note, 'utf8')) as { args: string[]; config: unknown };
    assert.ok(Date.parse(handle.summary().last_resumed_at ?? '') >= Date.parse(handle.summary().created_at));
    assert.equal(launched.config, null);
    assert.ok(launched.args.includes('Of the settings.\n\nYou help less.'));
  });

  it('report servers with inputs in URL or arguments', async () => {
    const server = (text: string) => `{ type: stdio, command: x, args: ["${text}"] }`;
    const servers = [
      `plain: ${server('--root ${workspaceFolder}')}`,
      `filled: ${server('--token=${input:token}')}`,
      'header: { type: http, url: "https://x.example/mcp", headers: { Authorization: "${env:KEY}" } }',
      'address: { type: http, url: "https://x.example/mcp?key=${env:KEY}" }',
    ];
    await file('a.yaml', `mcp_servers:\n${servers.map((line) => `  ${line}\n`).join('')}`);
    const { options } = await resumeRequest(findBlueprint(await load(), 'a'), use('x', { token: secret }));
    assert.deepEqual(options.filledServers, ['filled', 'address']);
  });

  it('are not started without their required inputs', async () => {
    await file('helper.yaml', withServer);
    const agent = findBlueprint(await load(), 'helper');
    const started = startRequest(agent, { ...use('x'), environment: {} });
    await assert.rejects(
      started,
      (error) => EngineFailure.is(error, 'blueprint_unusable') && /env:KEY, input:token/.test(error.message),
    );
  });

  it('precede the first prompt if the agent supports no system prompt', async () => {
    await file('c.yaml', 'executor_type: codex\nsystem_prompt: You are C.\n');
    const settings = () => ({ agents: { codex: { program: fakeAgent } } });
    const environment = { ...platformVariables, PATH: process.env['PATH'], FAKE_AGENT_VERSION: 'codex-cli 0.169.0' };
    const engine = await bench.engine({ adapters: [codex, claudeCode], settings, environment });
    const agent = findBlueprint(await load(), 'c');
    const thread = '01a1f877-019a-7c80-afab-627e56aae705';
    const request = await startRequest(agent, {
      ...use(prompt([{ event: { type: 'thread.started', thread_id: thread } }])),
      options: () => ({}),
    });
    const handle = await engine.start(request);
    await handle.done;
    const notes = (await readEntries(handle)).filter(
      ({ type }) => type.kind === 'system_message' && type.subtype === 'system_prompt',
    );
    assert.match(notes[0]?.content ?? '', /Codex does not accept a system prompt.*\n\n> You are C\./);
    assert.equal((await readEntries(handle))[0]?.content, request.prompt, 'the prompt of the person stands alone');
    const again = await engine.resume(handle.id, {
      prompt: prompt([{ event: { type: 'turn.started' } }]),
      ...(request.blueprint && { blueprint: request.blueprint }),
    });
    await again.done;
    const all = (await readEntries(again)).filter(
      ({ type }) => type.kind === 'system_message' && type.subtype === 'system_prompt',
    );
    assert.equal(all.length, 1, 'said once to a conversation');
  });
});
