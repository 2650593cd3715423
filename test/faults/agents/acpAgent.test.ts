import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { acp } from '../../../src/agents/acp/adapter.ts';
import type { EngineDeps } from '../../../src/engine/engineDeps.ts';
import type { SessionHandle } from '../../../src/engine/api.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { EngineFailure } from '../../../src/engine/failures/failures.ts';
import { answerRequests, deny, forSession, once } from '../../support/sessions/answering.ts';
import { until } from '../../support/until.ts';
import { Bench, readEntries, waitForResult, prompt, waitForEntry, type Step } from '../../support/fakeAgent/engine.ts';

const program = path.resolve('test/support/acpAgent/agent.mjs');

describe('an Agent Client Protocol agent', function () {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  const engineWith = (args: readonly string[] = [], change: Partial<EngineDeps> = {}): Promise<Engine> =>
    bench.engine({
      adapters: [acp],
      interactive: true,
      settings: () => ({ acp: [{ id: 'fake', label: 'Fake', program, args }] }),
      ...change,
    });
  const start = (engine: Engine, steps: readonly Step[], options = {}): Promise<SessionHandle> =>
    engine.start({ agent: 'acp', profile: 'fake', cwd: bench.cwd, prompt: prompt(steps), options });
  const texts = async (handle: SessionHandle): Promise<string> =>
    (await readEntries(handle))
      .flatMap(({ type, content }) => (type.kind === 'assistant_message' ? [content] : []))
      .join('\n');
  const notes = async (handle: SessionHandle, subtype: string): Promise<string[]> =>
    (await readEntries(handle)).flatMap(({ type, content }) =>
      type.kind === 'system_message' && type.subtype === subtype ? [content] : [],
    );
  it('runs, is resumed by its profile, and gets the next message in the same process', async () => {
    const engine = await engineWith(['--greeting=late']);
    const handle = await start(engine, [{ say: 'Hello.' }, { untilCancelled: true }]);
    await waitForEntry(handle, 'Hello.');
    handle.conversation()?.sendMessage(prompt([{ say: 'And again.' }]), 'interrupt');
    const result = await waitForResult(handle);
    assert.equal(result.success, true, result.error);
    assert.match(await texts(handle), /Hello\.[^]*And again\./);
    const { executor_profile, executor_session_id, agent_label, agent_version } = handle.summary();
    assert.deepEqual([executor_profile, agent_label, agent_version], ['fake', 'Fake', '1.2.3']);
    assert.match(executor_session_id ?? '', /^fake-\d+$/);
    assert.deepEqual(result.metadata?.usage, { input: 20, output: 10 });
    const again = await engine.resume(handle.id, { prompt: prompt([{ say: 'Still here.' }]) });
    assert.equal((await waitForResult(again)).success, true);
    assert.equal(again.summary().executor_session_id, executor_session_id);
    assert.match(await texts(again), /Still here\./);
  });

  it('is listed among the agents, with missing ones', async () => {
    const engine = await engineWith();
    const reports = await engine.agents();
    const found = reports.filter(({ type }) => type === 'acp');
    assert.deepEqual(
      found.map(({ profile, label, program: foundProgram }) => [
        profile,
        label,
        foundProgram !== null && 'code' in foundProgram ? foundProgram.code : foundProgram?.path,
      ]),
      [
        ['fake', 'Fake', program],
        ['claude-agent-acp', 'Claude Agent', 'program_missing'],
        ['codex-acp', 'Codex', 'program_missing'],
        ['gemini-acp', 'Gemini CLI', 'program_missing'],
        ['copilot-acp', 'Copilot', 'program_missing'],
      ],
    );
    assert.equal(found[3]?.capabilities.resume.supported, false);
    await assert.rejects(
      engine.start({ agent: 'acp', profile: 'gone', cwd: bench.cwd, prompt: 'x' }),
      (error) => EngineFailure.is(error, 'profile_unknown') && error.detail.includes('fake'),
    );
  });

  for (const [args, pattern] of [
    [['--greeting=version'], /uses version 7 .* Vitrine supports version 1/],
    [['--opening=login'], /not logged in to it\. .*Run `fake login`/],
    [['--opening=error'], /no disk/],
  ] as const) {
    it(`that says ${args[0]} fails with a reason`, async () => {
      const handle = await start(await engineWith(args), []);
      const result = await waitForResult(handle);
      assert.equal(result.success, false);
      assert.match(handle.summary().reason ?? '', pattern);
      assert.equal(handle.turns()[0]?.status, 'failed');
    });
  }

  it('that ignores the end of its input is stopped, which is not a failure', async () => {
    const engine = await engineWith(['--stay'], { timing: { closeMs: 100, politeGraceMs: 500, termGraceMs: 500 } });
    const handle = await start(engine, [{ say: 'Done.' }]);
    assert.equal((await waitForResult(handle)).success, true);
  });

  it('that never answers can be stopped', async () => {
    for (const args of ['--greeting=never', '--opening=never']) {
      const engine = await engineWith([args]);
      const handle = await start(engine, []);
      await engine.stop(handle.id);
      assert.equal((await waitForResult(handle)).success, false);
      assert.equal(handle.turns()[0]?.status, 'stopped');
    }
  });

  it('is first asked to stop, and reports how far it came', async () => {
    const engine = await engineWith([], { timing: { politeGraceMs: 60_000 } });
    const handle = await start(engine, [{ say: 'At it.' }, { untilCancelled: true }]);
    await waitForEntry(handle, 'At it.');
    await engine.stop(handle.id);
    const result = await waitForResult(handle);
    assert.equal(handle.turns()[0]?.status, 'stopped');
    assert.deepEqual(result.metadata?.usage, { input: 10, output: 5 });
    assert.equal((await notes(handle, 'interrupted')).length, 1);
  });

  it('that ignores cancellation is stopped nevertheless', async () => {
    const engine = await engineWith(['--deaf']);
    const handle = await start(engine, [{ say: 'At it.' }, { never: true }]);
    await waitForEntry(handle, 'At it.');
    await engine.stop(handle.id);
    assert.equal(handle.turns()[0]?.status, 'stopped');
  });

  it('that lost a conversation fails the run, and the next id is tried', async () => {
    const engine = await engineWith();
    const handle = await start(engine, [{ say: 'Hello.' }]);
    await waitForResult(handle);
    const file = engine.recordPath(handle.id);
    const known = handle.summary().executor_session_id ?? '';
    handle.dispose();
    await engine.dispose();
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(known, 'forgotten'));
    const other = await engineWith();
    await other.rebuildIndex();
    const again = await other.resume(handle.id, { prompt: '[]' });
    await waitForResult(again);
    assert.match(again.summary().reason ?? '', /no longer has this conversation/);
  });

  it('that answers a prompt with an error fails in its own words', async () => {
    const handle = await start(await engineWith(), [{ fail: { code: -32603, message: 'API Error: 400 no' } }]);
    const result = await waitForResult(handle);
    assert.equal(result.success, false);
    assert.match(handle.summary().reason ?? '', /API Error: 400 no/);
  });

  it('that dies during a request leaves nothing pending', async () => {
    const call = { toolCallId: 'c1', title: 'touch x', kind: 'execute', rawInput: { command: 'touch x' } };
    const engine = await engineWith();
    const handle = await start(engine, [
      { update: { sessionUpdate: 'tool_call', status: 'pending', ...call } },
      { say: 'Now.' },
    ]);
    await waitForResult(handle);
    const dying = await start(engine, [
      {
        line: JSON.stringify({
          jsonrpc: '2.0',
          id: 9,
          method: 'session/request_permission',
          params: { sessionId: 'x', toolCall: call, options: [] },
        }),
      },
      { request: { method: 'nothing', params: {} } },
      { exit: 3 },
    ]);
    assert.equal((await waitForResult(dying)).success, false);
    assert.equal(dying.conversation(), null);
  });

  const ask = (call: object, allowed: readonly Step[], denied: readonly Step[] = []): Step => ({
    ask: { call, allowed, denied },
  });
  const write = (file: string, content = 'new\n'): Step => ({
    request: { method: 'fs/write_text_file', params: { path: file, content } },
  });
  const read = (file: string): Step => ({ request: { method: 'fs/read_text_file', params: { path: file } } });

  it('gets a permission and a denial, with the respective effect', async () => {
    const engine = await engineWith();
    const edit = (id: string, file: string) => ({
      toolCallId: id,
      title: `Write ${file}`,
      kind: 'edit',
      status: 'pending',
      content: [{ type: 'diff', path: path.join(bench.cwd, file), oldText: null, newText: 'new\n' }],
    });
    const handle = await start(engine, [
      ask(edit('c1', 'yes.txt'), [
        write(path.join(bench.cwd, 'yes.txt')),
        { update: { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' } },
      ]),
      ask(edit('c2', 'no.txt'), [write(path.join(bench.cwd, 'no.txt'))]),
    ]);
    answerRequests(handle, once, { kind: 'deny', reason: 'Not that one.' });
    assert.equal((await waitForResult(handle)).success, true);
    assert.equal(readFileSync(path.join(bench.cwd, 'yes.txt'), 'utf8'), 'new\n');
    assert.ok(!existsSync(path.join(bench.cwd, 'no.txt')));
    const requests = (await readEntries(handle)).filter(
      ({ type }) => type.kind === 'system_message' && type.subtype === 'request',
    );
    assert.equal(requests.length, 2);
    assert.deepEqual(
      requests.map(({ metadata }) => (metadata as { decision?: { by: string } }).decision?.by),
      ['user', 'user'],
    );
    const tools = (await readEntries(handle)).flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
    assert.deepEqual(
      tools.map(({ action, status }) => [action.kind, status]),
      [
        ['file_edit', 'success'],
        ['file_edit', 'denied'],
      ],
    );
    assert.match((await notes(handle, 'permission')).join(), /not why/);
  });

  it('is denied every permission if no user is present', async () => {
    const file = path.join(bench.cwd, 'x.txt');
    const engine = await engineWith([], { interactive: false });
    const handle = await start(engine, [
      ask({ toolCallId: 'c1', title: 'Do it', kind: 'execute' }, [{ say: 'allowed' }], [{ say: 'denied' }]),
      write(file),
    ]);
    assert.equal((await waitForResult(handle)).success, true);
    assert.match(await texts(handle), /outcome: no[^]*denied[^]*not allowed to write/);
    assert.ok(!existsSync(file));
  });

  it('writes unrequested files only with permission, once or for the session', async () => {
    const engine = await engineWith();
    const at = (name: string) => path.join(bench.cwd, name);
    const handle = await start(engine, [write(at('a')), write(at('b')), write(at('deep/er/c')), write(at('d'))]);
    answerRequests(handle, deny, once, forSession);
    assert.equal((await waitForResult(handle)).success, true);
    assert.deepEqual(
      ['a', 'b', 'deep/er/c', 'd'].map((name) => existsSync(at(name))),
      [false, true, true, true],
    );
  });

  it('reads and writes nothing outside of the folder, whatever the path', async () => {
    const engine = await engineWith();
    const outside = path.join(bench.dir, 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'secret'), 'secret');
    symlinkSync(outside, path.join(bench.cwd, 'link'));
    symlinkSync(path.join(outside, 'secret'), path.join(bench.cwd, 'file'));
    symlinkSync(path.join(outside, 'made'), path.join(bench.cwd, 'broken'));
    writeFileSync(path.join(bench.cwd, 'ok'), 'one\ntwo\nthree\n');
    const ways = ['../outside/secret', 'link/secret', 'file', '..', 'link/../../outside/secret'];
    const named = ways.map((way) => `${bench.cwd}/${way}`);
    const handle = await start(engine, [
      ...[...named, 'ok', '/etc/passwd', path.join(outside, 'secret')].map(read),
      ...[
        ...named,
        path.join(bench.cwd, 'broken'),
        path.join(bench.cwd, 'link/made'),
        path.join(outside, 'made'),
        '/made',
      ].map((file) => write(file)),
      read(path.join(bench.cwd, 'missing')),
      { request: { method: 'fs/read_text_file', params: { path: path.join(bench.cwd, 'ok'), line: 2, limit: 1 } } },
    ]);
    answerRequests(handle, ...Array.from({ length: 30 }, () => forSession));
    assert.equal((await waitForResult(handle)).success, true);
    const said = (await texts(handle)).split('\n').filter((line) => line !== '');
    assert.equal(said.length, 19);
    assert.ok(
      said.slice(0, 17).every((line) => line.includes('"code":-32602')),
      said.join('\n'),
    );
    assert.match(said[17] ?? '', /-32002,"message":"Resource not found/);
    assert.equal(said[18], 'fs/read_text_file: {"content":"two\\n"}');
    assert.equal(readFileSync(path.join(outside, 'secret'), 'utf8'), 'secret');
    assert.ok(!existsSync(path.join(outside, 'made')));
    assert.equal((await notes(handle, 'refused')).length, 17);
  });

  it('runs a command in a terminal, which its call shows', async () => {
    const engine = await engineWith();
    const call = {
      toolCallId: 'c1',
      title: 'echo hi; exit 3',
      kind: 'execute',
      rawInput: { command: 'echo hi; exit 3' },
    };
    const handle = await start(engine, [
      ask(call, [
        {
          request: {
            method: 'terminal/create',
            params: { command: 'sh', args: ['-c', 'echo hi; exit 3'], env: [{ name: 'A', value: 'b' }] },
            keep: 'terminalId',
          },
        },
        {
          filledUpdate: {
            sessionUpdate: 'tool_call_update',
            toolCallId: 'c1',
            status: 'in_progress',
            content: [{ type: 'terminal', terminalId: '$terminalId' }],
          },
        },
        { request: { method: 'terminal/wait_for_exit', params: { terminalId: '$terminalId' } } },
        { request: { method: 'terminal/output', params: { terminalId: '$terminalId' } } },
        { request: { method: 'terminal/release', params: { terminalId: '$terminalId' } } },
        { request: { method: 'terminal/output', params: { terminalId: '$terminalId' } } },
        { update: { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' } },
      ]),
    ]);
    answerRequests(handle, once, once);
    assert.equal((await waitForResult(handle)).success, true);
    const said = await texts(handle);
    assert.match(said, /wait_for_exit: \{"exitCode":3,"signal":null\}/);
    assert.match(said, /output: \{"output":"hi\\n","truncated":false,"exitStatus":\{"exitCode":3,"signal":null\}\}/);
    assert.match(said, /Terminal not found/);
    const [tool] = (await readEntries(handle)).flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
    assert.ok(tool?.action.kind === 'command_run');
    assert.deepEqual([tool.action.command, tool.action.stdout, tool.action.exitCode], ['echo hi; exit 3', 'hi\n', 3]);
  });

  it('runs no command without permission, with a hidden shell, or outside of the folder', async () => {
    const engine = await engineWith();
    const run = (params: object): Step => ({ request: { method: 'terminal/create', params } });
    const handle = await start(engine, [
      run({ command: 'touch', args: ['made'] }),
      run({ command: 'touch made' }),
      run({ command: 'touch', args: ['made'], cwd: '/' }),
    ]);
    answerRequests(handle, { kind: 'deny', reason: 'Use the API.' }, once);
    assert.equal((await waitForResult(handle)).success, true);
    assert.match(
      await texts(handle),
      /not allowed to run touch made\. Use the API\.[^]*does not start a shell[^]*outside the folder/,
    );
    assert.ok(!existsSync(path.join(bench.cwd, 'made')));
  });

  it('ends its run only when its commands have ended', async () => {
    const engine = await engineWith();
    const file = path.join(bench.cwd, 'pid');
    // Deaf to what asks it politely.
    const script = `trap '' TERM; echo $$ > ${file}; while :; do sleep 1; done`;
    const handle = await start(engine, [
      { request: { method: 'terminal/create', params: { command: 'sh', args: ['-c', script] } } },
      { untilCancelled: true },
    ]);
    answerRequests(handle, once);
    await until('the command', () => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
    handle.conversation()?.sendMessage(prompt([{ say: 'It runs.' }]), 'interrupt');
    assert.equal((await waitForResult(handle)).success, true);
    const pid = Number(readFileSync(file, 'utf8'));
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  });

  it('leaves no command running when it is stopped', async function () {
    const engine = await engineWith();
    const file = path.join(bench.cwd, 'pid');
    const handle = await start(engine, [
      {
        request: {
          method: 'terminal/create',
          params: { command: 'sh', args: ['-c', `echo $$ > ${file}; sleep 600`] },
          keep: 'terminalId',
        },
      },
      { request: { method: 'terminal/wait_for_exit', params: { terminalId: '$terminalId' } } },
    ]);
    answerRequests(handle, once);
    await waitForEntry(handle, 'terminal/create: ');
    await until('the command', () => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
    const pid = Number(readFileSync(file, 'utf8'));
    await engine.stop(handle.id);
    await until('the end of the command', () => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    });
  });
});
