import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { acpHttp } from '../../../../src/agents/acp-http/adapter.ts';
import type { AcpHttpProfile, SessionHandle } from '../../../../src/engine/api.ts';
import type { EngineDeps } from '../../../../src/engine/engineDeps.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { EngineFailure } from '../../../../src/engine/failures/failures.ts';
import { startAcpServer, type AcpServer } from '../../../support/acpServer/server.ts';
import { Bench, readEntries, waitForResult, waitForEntry } from '../../../support/fakeAgent/engine.ts';

const token = 'a-token-that-is-nowhere';

/** Everything that is kept, as text. */
function saved(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name));
  return files.flatMap((file) => (statSync(file).isFile() ? [readFileSync(file, 'utf8')] : [])).join('\n');
}

async function answersOf(handle: SessionHandle): Promise<string[]> {
  const all = await readEntries(handle);
  return all.filter(({ type }) => type.kind === 'assistant_message').map(({ content }) => content);
}

describe('agents on servers', () => {
  let server: AcpServer;
  let bench: Bench;
  before(async () => {
    server = await startAcpServer({ token });
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  const engineWith = (profiles: readonly AcpHttpProfile[], change: Partial<EngineDeps> = {}): Promise<Engine> =>
    bench.engine({
      adapters: [acpHttp],
      settings: () => ({ acpHttp: profiles, acpHttpToken: (id) => Promise.resolve(id === 'lab' ? token : undefined) }),
      timing: { politeGraceMs: 60_000 },
      ...change,
    });
  const lab = (): AcpHttpProfile => ({ id: 'lab', label: 'Lab', baseUrl: server.url });
  const start = (engine: Engine, agent: string, prompt = 'Go'): Promise<SessionHandle> =>
    engine.start({ agent: 'acp-http', profile: `lab/${agent}`, cwd: bench.cwd, prompt });

  it('are listed, and an unreachable server with the reason', async () => {
    const gone = await startAcpServer();
    await gone.stop();
    const engine = await engineWith([
      lab(),
      { id: 'one', label: 'One', baseUrl: server.url, agent: 'ping' },
      { id: 'gone', label: 'Gone', baseUrl: gone.url },
    ]);
    const reports = (await engine.agents()).filter(({ type }) => type === 'acp-http');
    const found = reports.filter(({ program }) => program !== null && 'path' in program);
    assert.ok(found.some(({ profile, label }) => profile === 'lab/researcher' && label === 'researcher (Lab)'));
    assert.equal(reports.length, found.length + 2);
    const one = reports.find(({ profile }) => profile === 'one')?.program;
    assert.ok(EngineFailure.is(one, 'server_failed'));
    assert.match(one.message, /One: The agent server rejected the credentials/, 'it has no token');
    const failure = reports.find(({ profile }) => profile === 'gone')?.program;
    assert.ok(EngineFailure.is(failure, 'server_failed'));
    assert.match(failure.message, /Gone: The agent server cannot be reached/);
    assert.ok(failure.detail.includes(gone.url));
    assert.equal(failure.action, 'openSettings');
  });

  it('run, and are resumed in the same session of the server', async () => {
    const engine = await engineWith([lab()]);
    const handle = await start(engine, 'memory');
    const result = await waitForResult(handle);
    assert.equal(result.success, true, result.error);
    assert.equal(result.data, 'You asked me 0 times before.');
    assert.deepEqual(result.metadata?.costProvenance.provenance, 'unknown');
    assert.equal(handle.summary().agent_label, 'memory (Lab)');

    const again = await (await engineWith([lab()])).resume(handle.id, { prompt: 'And now?' });
    assert.equal((await waitForResult(again)).data, 'You asked me 1 times before.');
    assert.equal(again.summary().executor_session_ids.length, 1);
    const sessions = [...server.runs.values()].slice(-2).map(({ run }) => run.session_id);
    assert.deepEqual(sessions, [again.summary().executor_session_id, again.summary().executor_session_id]);

    const [run] = again.turns();
    const raw = readFileSync(again.rawPath(run!.runId).stdout, 'utf8');
    assert.match(raw, /^data: \{"type":"run.created"/);
    assert.ok(raw.endsWith('\n\n'));
    again.dispose();
  });

  it('keep their token secret', async () => {
    const engine = await engineWith([lab()]);
    await waitForResult(await start(engine, 'ping', 'Hi'));
    assert.equal(server.requests.at(-1)?.headers.authorization, `Bearer ${token}`);
    assert.ok(!saved(bench.dir).includes(token));
    assert.ok(!bench.log.join('\n').includes(token));
    assert.ok(!JSON.stringify(await engine.agents()).includes(token));
  });

  it('pass citations and trajectory on', async () => {
    const engine = await engineWith([lab()]);
    const cited = await start(engine, 'researcher');
    await waitForResult(cited);
    const answer = (await readEntries(cited)).find(({ type }) => type.kind === 'assistant_message');
    assert.deepEqual(answer?.metadata?.annotations, [
      {
        kind: 'citation',
        url: 'https://example.com/ai-study-2024',
        title: 'AI Adoption Report 2024',
        description: 'Comprehensive analysis of AI adoption trends across industries',
        // Relative to its part; by code points, of which the rocket is one.
        start_index: 15 + Array.from('Naïve 🚀 readers ask. ').length,
        end_index: 27 + Array.from('Naïve 🚀 readers ask. ').length,
      },
      { kind: 'citation', start_index: 0, end_index: 5, title: 'A dictionary' },
    ]);
    const steps = await start(engine, 'weather');
    await waitForResult(steps);
    const annotated = (await readEntries(steps)).flatMap(({ metadata }) => metadata?.annotations ?? []);
    assert.deepEqual(annotated, [
      { kind: 'trajectory', message: 'The user wants to know about the weather.' },
      {
        kind: 'trajectory',
        message: 'I ask the weather service.',
        tool_name: 'weather_api',
        tool_input: { location: 'San Francisco, CA' },
        tool_output: { temperature: 72, condition: 'sunny' },
      },
    ]);
  });

  it('ask the user, and continue with the answer', async () => {
    const engine = await engineWith([lab()], { interactive: true });
    const handle = await start(engine, 'asker');
    const conversation = handle.conversation();
    assert.ok(conversation !== null);
    assert.equal(conversation.takesMessages, false);
    const asked = new Promise<void>((resolve) => {
      const look = (): void => {
        if (conversation.pendingRequests().length > 0) resolve();
      };
      handle.onConversation(look);
      look();
    });
    await asked;
    const [request] = conversation.pendingRequests();
    assert.equal(request?.kind, 'question');
    assert.equal(request.title, 'Which city?');
    conversation.answer(request.id, { kind: 'answer', answers: ['Lisbon'] });
    const result = await waitForResult(handle);
    assert.equal(result.success, true, result.error);
    assert.deepEqual(await answersOf(handle), ['Before I start.', 'The weather in Lisbon is fine.']);
    const requests = (await readEntries(handle)).filter(({ metadata }) => metadata?.['request'] !== undefined);
    assert.equal(requests.length, 1, 'one entry tells of the question and of the answer');
    assert.ok(requests[0]?.metadata?.['decision'] !== undefined);
    assert.ok(requests[0].metadata['awaitRequest'] !== undefined);
  });

  it('are cancelled if no one can answer', async () => {
    const handle = await start(await engineWith([lab()]), 'asker');
    const result = await waitForResult(handle);
    assert.equal(result.success, false);
    assert.equal([...server.runs.values()].at(-1)?.run.status, 'cancelled');
  });

  it('are stopped on the server', async () => {
    const engine = await engineWith([lab()]);
    const handle = await start(engine, 'slow');
    await waitForEntry(handle, 'Working');
    await engine.stop(handle.id);
    assert.equal(handle.summary().status, 'stopped');
    assert.equal([...server.runs.values()].at(-1)?.run.status, 'cancelled');
  });

  it('do not start if the server or the agent is missing', async () => {
    const gone = await startAcpServer();
    await gone.stop();
    const engine = await engineWith([lab(), { id: 'gone', label: 'Gone', baseUrl: gone.url }]);
    const at = (profile: string) => engine.start({ agent: 'acp-http', profile, cwd: bench.cwd, prompt: 'Go' });
    await assert.rejects(at('gone'), { code: 'server_failed' });
    await assert.rejects(at('lab/nobody'), (error) => {
      assert.ok(EngineFailure.is(error, 'server_failed'));
      assert.match(error.message, /has no agent "nobody"/);
      assert.match(error.detail, /Available: ping, researcher/);
      return true;
    });
    await assert.rejects(at('elsewhere'), { code: 'server_unknown' });
    assert.deepEqual(await engine.list(), []);
  });
});
