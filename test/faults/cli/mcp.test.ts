import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { Bench, fakeAgent, prompt } from '../../support/fakeAgent/engine.ts';
import { stopDaemon } from '../../support/daemon/stop.ts';
import { isWindows } from '../../support/platform.ts';
import { skip } from '../../support/skip.ts';

const answerSchema = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
});
const startedSchema = z.object({ session_id: z.string(), status: z.string(), result: z.string().nullish() });

describe('vitrine mcp', function () {
  this.timeout(120_000);
  let bench: Bench;
  const clients: Client[] = [];
  beforeEach(() => {
    bench = new Bench();
    mkdirSync(path.join(bench.cwd, '.vitrine/agents'), { recursive: true });
    writeFileSync(path.join(bench.cwd, '.vitrine/agents/helper.yaml'), 'description: Helps\nmodel: opus\n');
    writeFileSync(path.join(bench.cwd, '.vitrine/agents/retired.yaml'), 'description: Gone\nstatus: inactive\n');
    // Found by its name, as the real one.
    mkdirSync(path.join(bench.dir, 'bin'));
    const claude = path.join(bench.dir, 'bin/claude');
    writeFileSync(claude, `#!/bin/sh\nexec '${fakeAgent}' "$@"\n`);
    chmodSync(claude, 0o755);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    await stopDaemon(bench.store);
    await bench.close();
  });

  async function connected(args: readonly string[], asked?: (message: string) => 'accept' | 'decline') {
    const capabilities = asked === undefined ? {} : { elicitation: {} };
    const client = new Client({ name: 'test', version: '1' }, { capabilities });
    if (asked !== undefined)
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ action: asked(params.message), content: {} }));
    clients.push(client);
    const searched = [path.join(bench.dir, 'bin'), process.env['PATH'] ?? ''].join(path.delimiter);
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [path.resolve('dist/cli.js'), 'mcp', '--store', bench.store, ...args],
        cwd: bench.cwd,
        env: { PATH: searched, HOME: bench.dir },
      }),
    );
    return async (name: string, input: Record<string, unknown> = {}) => {
      const { isError = false, content } = answerSchema.parse(await client.callTool({ name, arguments: input }));
      return { isError, text: content[0]?.text ?? '' };
    };
  }

  it('starts agents after asking the user, and shows what they did and why a line is there', async function () {
    if (isWindows) skip(this, 'the fake agent is a POSIX program');
    const questions: string[] = [];
    let decision: 'accept' | 'decline' = 'decline';
    const call = await connected([], (message) => {
      questions.push(message);
      return decision;
    });
    const { tools } = await clients[0]!.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), [
      'list_agents',
      'list_children',
      'recall',
      'resume_session',
      'search_sessions',
      'session_result',
      'session_status',
      'show_session',
      'start_session',
      'stop_session',
      'usage',
      'why_line',
    ]);
    const agents = (await call('list_agents')).text;
    assert.match(agents, /"name": "helper"/);
    assert.match(agents, /"name": "claude-code"/);
    assert.doesNotMatch(agents, /retired/);
    const file = path.join(bench.cwd, 'greeting.txt');
    writeFileSync(file, 'hello\nworld\n');
    const write = {
      type: 'assistant',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5-20250929',
        content: [{ type: 'tool_use', id: 't1', name: 'Write', input: { file_path: file, content: 'hello\nworld\n' } }],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    };
    const task = prompt([
      { init: true },
      { event: write },
      { toolResult: { id: 't1', text: 'File created' } },
      { say: 'A zebra greets.' },
      { result: { text: 'A zebra greets.' } },
    ]);
    const asked = { agent_name: 'helper', prompt: task };
    assert.deepEqual(await call('start_session', asked), { isError: true, text: 'The user did not allow it.' });
    assert.match(questions[0] ?? '', /^Start agent "helper" in /);
    decision = 'accept';
    const { session_id, result } = startedSchema.parse(JSON.parse((await call('start_session', asked)).text));
    assert.equal(result, 'A zebra greets.');
    const found = await call('search_sessions', { query: 'zebra kind:assistant' });
    assert.ok(found.text.includes(session_id), found.text);
    assert.match((await call('show_session', { session_id })).text, /A zebra greets\./);
    const why = await call('why_line', { file: 'greeting.txt', line: 2 });
    assert.match(why.text, /"text": "world"/);
    assert.ok(why.text.includes(session_id), why.text);
    assert.match(why.text, /"kind": "changed"/);
    assert.match((await call('usage', { by: 'agent' })).text, /"usd": 0\.01/);
    const again = { session_id, prompt: prompt([{ init: true }, { say: 'again' }, { result: { text: 'again' } }]) };
    assert.match((await call('resume_session', again)).text, /"result": "again"/);
    assert.equal((await call('show_session', { session_id: 'ses_00000000000f' })).isError, true);
  });

  it('queues an agent for a runner that has what is demanded', async function () {
    if (isWindows) skip(this, 'the fake agent is a POSIX program');
    const call = await connected(['--allow-start']);
    const task = prompt([{ init: true }, { say: 'Trained.' }, { result: { text: 'Trained.' } }]);
    const asked = { agent_name: 'claude-code', prompt: task, additional_demands: { tags: ['gpu'] } };
    const waiting = await call('start_session', { ...asked, execution_mode: 'async_poll' });
    const { session_id, status } = startedSchema.parse(JSON.parse(waiting.text));
    assert.equal(status, 'pending');
    assert.match(waiting.text, /"waits_because": "no runner is online"/);
    assert.match((await call('stop_session', { session_id })).text, /"outcome": "stopped"/);

    const searched = [path.join(bench.dir, 'bin'), process.env['PATH'] ?? ''].join(path.delimiter);
    const args = ['runner', '--store', bench.store, '--executor', 'claude-code', '--tags', 'gpu'];
    const runner = spawn(process.execPath, [path.resolve('dist/cli.js'), ...args], {
      ...{ cwd: bench.cwd, env: { PATH: searched, HOME: bench.dir }, stdio: 'ignore' },
    });
    const exit = once(runner, 'exit');
    try {
      const { result } = startedSchema.parse(JSON.parse((await call('start_session', asked)).text));
      assert.equal(result, 'Trained.');
    } finally {
      runner.kill('SIGTERM');
      await exit;
    }
  });

  it('starts no agents if the client cannot ask, unless allowed; stops those that it started', async function () {
    if (isWindows) skip(this, 'the fake agent is a POSIX program');
    const waits = prompt([{ init: true }, { note: bench.pidFile }, { forever: true }]);
    const asked = { agent_name: 'claude-code', prompt: waits, execution_mode: 'async_poll' };
    const refused = await (await connected([]))('start_session', asked);
    assert.equal(refused.isError, true);
    assert.match(refused.text, /--allow-start/);
    const call = await connected(['--allow-start']);
    const { session_id, status } = startedSchema.parse(JSON.parse((await call('start_session', asked)).text));
    assert.equal(status, 'running');
    await bench.agentPid();
    assert.match((await call('list_children')).text, new RegExp(`"session_id": "${session_id}"`));
    assert.match((await call('session_result', { session_id })).text, /"status": "running"/);
    const stopped = await call('stop_session', { session_id });
    assert.match(stopped.text, /"outcome": "stopped"/);
    assert.equal((await call('stop_session', { session_id: 'ses_00000000000f' })).isError, true);
  });
});
