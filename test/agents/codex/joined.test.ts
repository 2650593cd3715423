import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { joinThread } from '../../../src/agents/codex/appServer/dialogue.ts';
import type { DaemonConnection } from '../../../src/client/connection.ts';
import { openWebSocket } from '../../../src/engine/sources/live/webSocket.ts';
import type { JsonObject } from '../../../src/model/text/json.ts';
import type { News } from '../../../src/protocol/daemon/calls.ts';
import type { SessionSnapshot } from '../../../src/protocol/daemon/session.ts';
import { codexVariables, configureCodex, ensureCodex } from '../../support/agents/codex.ts';
import { CodexClient, codexSocket, startCodexServer } from '../../support/agents/codexClient.ts';
import { type AgentPlace, agentPlace } from '../../support/agents/place.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { startOpenaiServer } from '../../support/models/openai.ts';
import { text, tool } from '../../support/models/scripts/scenario.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';

const outside = (line: string) =>
  tool('exec_command', { cmd: line, yield_time_ms: 30_000, sandbox_permissions: 'require_escalated' });
const scenarios = () => ({
  ask: [{ blocks: [text('I will ask.'), outside('echo once >> times.txt')] }, { blocks: [text('Asked.')] }],
  wait: [{ blocks: [outside('touch waiting.txt; sleep 600')] }, { blocks: [text('Waited.')] }],
  plain: [{ blocks: [text('Hello from here.')] }],
});

describe('a session that another program has open in the server of Codex 0.169.0', function () {
  let place: AgentPlace;
  let server: ChildProcess;
  let bench: DaemonBench;
  let other: CodexClient;
  let client: DaemonConnection;
  let thread = '';
  let session = '';
  let state: SessionSnapshot | undefined;

  before(async function () {
    if (process.platform === 'win32') skip(this, 'Node cannot connect to such sockets there');
    const installed = await ensureCodex('0.169.0');
    if ('missing' in installed) skip(this, installed.missing);
    place = await agentPlace(installed.program, {
      name: 'codex',
      variables: codexVariables,
      scenarios,
      serve: startOpenaiServer,
      configure: (home, modelUrl) => configureCodex(home, modelUrl, '0.169.0'),
    });
    server = startCodexServer(installed.program, { cwd: place.workspace, env: place.env });
    other = await CodexClient.connect(codexSocket(place.home));
    thread = await other.startThread(place.workspace);
    bench = new DaemonBench();
    client = await bench.connect();
  });
  after(async () => {
    if ((place as AgentPlace | undefined) === undefined) return;
    other.close();
    server.kill('SIGKILL');
    await bench.close();
    await place.remove();
  });

  const sources = () => ({ home: place.home, variables: {}, scope: 'everything' as const, folders: [], limit: 10 });
  const says = (prompt: string): Promise<JsonObject> => other.prompt(thread, prompt);

  const texts = async (): Promise<string> => {
    const { entries } = await client.call('read', { session_id: session, from: 0, to: 1000 });
    return entries.map(({ content }) => content).join('\n');
  };

  it('is joined while it waits, and its request answered', async () => {
    await says('Count once. [[ask]]');
    await other.waitFor('item/commandExecution/requestApproval');
    const { sessions } = await client.call('watchSources', sources());
    const [row] = sessions;
    assert(row !== undefined);
    session = row.session_id;
    const followed = await client.follow(session, (update) => {
      state = update.state;
      return Promise.resolve();
    });
    state ??= followed.state;
    const waiting = await until('the request', () => state?.requests[0]);
    assert.match(waiting.title, /echo once >> times\.txt/);
    assert.equal(state.summary.observed?.live.state, 'waiting_for_permission');
    assert.equal(state.summary.needs_you?.count, 1);
    assert.deepEqual([state.dialogue, state.takesMessages, state.live], [true, true, true]);
    assert.match(await texts(), /I will ask\.[^]*echo once/);

    const answer = { kind: 'allow', scope: 'once' } as const;
    const { accepted } = await client.call('answer', { session_id: session, request_id: waiting.id, answer });
    assert.equal(accepted, true);
    await other.waitFor('turn/completed');
    assert.equal(readFileSync(path.join(place.workspace, 'times.txt'), 'utf8'), 'once\n');
    await until('the answer', async () => /Asked\./.test(await texts()));
    await until('the end of the turn', () => state?.summary.observed?.live.state === 'idle');
    assert.deepEqual([state.requests, state.live, state.dialogue], [[], true, true]);
  });

  it('takes a message, which the other program shows too', async () => {
    await client.call('say', { session_id: session, text: 'And now? [[plain]]', how: 'queue' });
    await other.waitFor('turn/completed', 2);
    assert.ok(other.received.some((message) => JSON.stringify(message).includes('And now? [[plain]]')));
    await until('the answer', async () => /And now\?[^]*Hello from here\./.test(await texts()));
  });

  it('no longer waits here when it is answered there, and is stopped from here', async () => {
    await says('Wait. [[wait]]');
    const asked = await other.waitFor('item/commandExecution/requestApproval', 2);
    await until('the request', () => state?.requests[0]);
    other.send({ id: asked['id'], result: { decision: 'accept' } });
    await until('its end', () => state?.requests.length === 0);
    await until('the command', () => existsSync(path.join(place.workspace, 'waiting.txt')));
    await client.call('stop', { session_id: session, kill: false });
    const ended = await other.waitFor('turn/completed', 3);
    assert.match(JSON.stringify(ended), /"status":"interrupted"/);
  });

  it('keeps running when Vitrine leaves it, and can be joined again', async () => {
    const again = await bench.connect();
    client.close();
    client = again;
    await says('Once more. [[ask]]');
    await other.waitFor('item/commandExecution/requestApproval', 3);
    await client.call('watchSources', sources());
    const followed = await client.follow(session, (update) => {
      state = update.state;
      return Promise.resolve();
    });
    state = followed.state;
    await until('the request', () => state?.requests[0]);
    bench.environment['HOME'] = place.home;
    const terminal = bench.vitrine('attach', session);
    let asked = '';
    terminal.process.stderr?.on('data', (chunk: Buffer) => (asked += chunk.toString()));
    await until('the question', () => asked.includes('asks for permission'));
    terminal.process.stdin?.write('n\n');
    await other.waitFor('turn/completed', 4);
    await until('the end of the turn', () => state?.summary.observed?.live.state === 'idle');
    terminal.process.kill('SIGINT');
    const { stdout, stderr } = await terminal.ended;
    assert.match(stdout, /Once more\./);
    assert.doesNotMatch(stdout, /Asks for permission/, 'the question is a notice only');
    assert.equal(stderr.split('asks for permission').length, 2, stderr);
    assert.equal(readFileSync(path.join(place.workspace, 'times.txt'), 'utf8'), 'once\n');
  });

  it('waits in the list although no client follows it', async () => {
    client.close();
    let needs: number | undefined;
    const onNews = ({ summaries }: News): Promise<void> => {
      for (const summary of summaries) if (summary.session_id === session) needs = summary.needs_you?.count ?? 0;
      return Promise.resolve();
    };
    client = await bench.connect({ onNews });
    await client.call('watch', { events: false });
    await client.call('watchSources', sources());
    await says('Ask for me. [[ask]]');
    const asked = await other.waitFor('item/commandExecution/requestApproval', 4);
    await until('the waiting session', () => needs === 1);
    const listed = (await client.call('watchSources', sources())).sessions[0];
    assert.equal(listed?.observed?.live.state, 'waiting_for_permission');
    bench.environment['HOME'] = place.home;
    const { stdout: lines } = await bench.vitrine('sessions', '--all', '--json').ended;
    const printed = lines.split('\n').find((line) => line.includes(session)) ?? '';
    assert.match(printed, /"live":\{"state":"waiting_for_permission"/);
    const { stdout: table } = await bench.vitrine('sessions', '--all').ended;
    assert.match(table, new RegExp(`^${session}  needs you`, 'm'));
    other.send({ id: asked['id'], result: { decision: 'decline' } });
    await until('its end', () => needs === 0);
    await other.waitFor('turn/completed', 5);
  });

  it('is not opened in that server if it runs elsewhere', async () => {
    const left = new Promise<void>((resolve) => {
      const sent: string[] = [];
      void (async () => {
        let write: (line: string) => void = () => undefined;
        const dialogue = joinThread('01a21ef1-2ff6-7501-898e-988ef9dfce14')({
          write: (line) => write(line),
          ask: () => Promise.reject(new Error('nothing is asked')),
          record: () => undefined,
          onTurnEnded: () => undefined,
          onTurnStarted: () => undefined,
          leave: () => {
            assert.ok(!sent.some((line) => line.includes('thread/resume')));
            resolve();
          },
          fail: () => undefined,
        });
        const events = { onText: (line: string) => dialogue.handleLine(line), onClose: () => undefined };
        const link = await openWebSocket(codexSocket(place.home), events, AbortSignal.timeout(30_000));
        write = (line) => {
          sent.push(line);
          link.send(line);
        };
        dialogue.begin();
      })();
    });
    await left;
  });
});
