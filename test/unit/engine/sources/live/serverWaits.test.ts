import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WebSocketServer } from 'ws';
import { withServerWaits } from '../../../../../src/engine/sources/live/serverWaits.ts';
import type { ObservedSummary } from '../../../../../src/insight/observed/summary.ts';
import { loadPrices } from '../../../../../src/insight/prices/prices.ts';
import { skip } from '../../../../support/skip.ts';
import { captureFile, sourcesOf } from '../../../../support/stores/homes.ts';

interface Request {
  readonly id?: string;
  readonly method: string;
  readonly params?: { readonly threadId?: string };
}

/** Flags that the server gives as the state of a thread; `undefined`: it cannot read it. */
type Flags = Readonly<Record<string, readonly string[] | undefined>>;

describe('sessions that wait according to the server of Codex', function () {
  let codexHome: string;
  let row: ObservedSummary;
  let server: Server | undefined;
  const asked: Request[] = [];
  before(async function () {
    if (process.platform === 'win32') skip(this, 'Node opens no Unix sockets on Windows');
    const [found] = await sourcesOf(captureFile('claude-code-2.1.330/print-tools', 'home')).list(await loadPrices());
    assert(found !== undefined);
    row = found;
  });
  beforeEach(() => {
    codexHome = mkdtempSync(path.join(tmpdir(), 'codex-'));
    asked.length = 0;
  });
  afterEach(() => {
    server?.close();
    server = undefined;
    rmSync(codexHome, { recursive: true });
  });

  async function serve(threads: Flags): Promise<void> {
    mkdirSync(path.join(codexHome, 'app-server-control'));
    server = createServer();
    const results = {
      initialize: () => ({}),
      'thread/loaded/list': () => ({ data: Object.keys(threads) }),
      'thread/read': (id: string) =>
        threads[id] && { thread: { id, status: { type: 'active', activeFlags: threads[id] } } },
    };
    new WebSocketServer({ server }).on('connection', (client) => {
      client.on('message', (data: Buffer) => {
        const request = JSON.parse(data.toString()) as Request;
        asked.push(request);
        if (request.id === undefined) return;
        const result = results[request.method as keyof typeof results](request.params?.threadId ?? '');
        const answer = result === undefined ? { error: { code: -32600, message: 'no such thread' } } : { result };
        client.send(JSON.stringify({ id: request.id, ...answer }));
      });
    });
    server.listen(path.join(codexHome, 'app-server-control/app-server-control.sock'));
    await once(server, 'listening');
  }

  const session = (id: string, change: Partial<ObservedSummary> = {}): ObservedSummary => ({
    ...row,
    session_id: `ses_${id}`,
    executor_type: 'codex',
    executor_session_id: id,
    source: {
      kind: 'observed',
      path: path.join(codexHome, `sessions/2026/11/28/rollout-2026-11-28T10-00-00-${id}.jsonl`),
    },
    live: { state: 'running', since: '2026-11-28T10:00:00.000Z', source: 'lock' },
    ...change,
  });
  const states = async (...sessions: ObservedSummary[]) =>
    (await withServerWaits(sessions)).map(({ live }) => live.state);

  it('are shown as waiting; others stay as they are', async () => {
    await serve({ a: ['waitingOnApproval'], b: ['waitingOnUserInput'], c: [], d: undefined });
    const all = ['a', 'b', 'c', 'd', 'e'].map((id) => session(id));
    assert.deepEqual(await states(...all), [
      'waiting_for_permission',
      'waiting_for_you',
      'running',
      'running',
      'running',
    ]);
    const methods = asked.map(({ method }) => method);
    assert.equal(methods.filter((method) => method === 'initialize').length, 1, 'one connection');
    assert.ok(!methods.includes('thread/resume'), 'none is joined');
  });

  it('are not looked for where no session runs, or of an agent without a server', async () => {
    await serve({ a: ['waitingOnApproval'] });
    const ended = session('a', { live: { state: 'ended', since: null, source: 'record' } });
    assert.deepEqual(await states(ended, session('a', { executor_type: 'claude-code' })), ['ended', 'running']);
    assert.deepEqual(asked, []);
  });

  it('stay as they are without a server, and with one that has no session open', async () => {
    assert.deepEqual(await states(session('a')), ['running']);
    await serve({});
    assert.deepEqual(await states(session('a')), ['running']);
  });
});
