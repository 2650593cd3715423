import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import path from 'node:path';
import type { DaemonConnection } from '../../../src/client/connection.ts';
import { type Endpoint, readEndpoint } from '../../../src/transport/endpoint.ts';
import { joinServer } from '../../../src/transport/handshake.ts';
import { JsonLineReader } from '../../../src/transport/jsonLines.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { FuzzedFrames } from '../../support/hostile/frames.ts';
import { fuzzRuns, printFuzzTotals } from '../../support/hostile/fuzz.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';

const frames = fuzzRuns(2000);
/** Frames that one connection sends before its last, which is no message. */
const perConnection = 200;
/** Beyond what an idle daemon uses, in bytes. */
const maxGrowth = 300e6;

describe('local strangers and clients that misbehave', function () {
  this.timeout(fuzzRuns(60_000));
  let place: DaemonBench;
  let client: DaemonConnection;
  let endpoint: Endpoint;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    place = new DaemonBench();
    client = await place.connect();
    const published = await readEndpoint(place.folder);
    assert.ok(published);
    endpoint = published;
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await place.close();
  });

  function open(): Socket {
    const socket = createConnection({ path: endpoint.address });
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  }

  /** A connection that has proved that it knows the token. */
  async function joined(): Promise<Socket> {
    const socket = open();
    assert.equal(await joinServer(socket, new JsonLineReader(socket), endpoint.token), true);
    return socket;
  }

  const checkAnswers = async (): Promise<void> => {
    const { pid } = await client.call('status', {});
    assert.equal(pid, client.daemon.pid);
    const later = await place.connect();
    assert.equal(later.daemon.pid, pid);
    later.close();
  };

  it('are kept out if they are other users: every file of the daemon is private', async function () {
    if (process.platform === 'win32') skip(this, 'this system has no modes');
    const { session_id } = await client.call('start', place.startParams([{ init: true }, { result: {} }]));
    await place.stateOf(session_id, ({ live }) => !live);
    const privateOnly = async (file: string): Promise<void> => {
      const { mode, uid } = await stat(file);
      assert.equal(mode & 0o077, 0, `${file} ${(mode & 0o777).toString(8)}`);
      assert.equal(uid, process.getuid?.());
    };
    await privateOnly(place.folder);
    for (const name of await readdir(place.folder)) await privateOnly(path.join(place.folder, name));
    await privateOnly(endpoint.address);
    await privateOnly(path.dirname(endpoint.address));
  });

  it('are rejected without the token, in 20 ways', async () => {
    const guesses = [
      ...Array.from({ length: 16 }, (_, index) => ({ proof: index.toString(16).repeat(64), nonce: '0'.repeat(32) })),
      { proof: '', nonce: '0'.repeat(32) },
      { nonce: '0'.repeat(32) },
      { jsonrpc: '2.0', id: 1, method: 'status', params: {} },
      [endpoint.pid],
    ];
    for (const guess of guesses) {
      const socket = open();
      let received = '';
      socket.setEncoding('utf8').on('data', (text: string) => (received += text));
      socket.write(`${JSON.stringify(guess)}\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'status' })}\n`);
      await new Promise((resolve) => socket.once('close', resolve));
      assert.match(received, /^\{"nonce":"[0-9a-f]{32}"\}\n$/);
    }
    await checkAnswers();
  });

  it(`do not disturb others with ${frames} fuzzed frames`, async () => {
    const fuzzed = new FuzzedFrames(20_261_124);
    const before = await client.call('status', {});
    let worst = 0;
    for (let sent = 0; sent < frames; sent += perConnection) {
      const socket = await joined();
      const closed = new Promise((resolve) => socket.once('close', resolve));
      for (let frame = 0; frame < perConnection; frame += 1) socket.write(`${fuzzed.message()}\n`);
      // Damaged bytes, mostly no JSON, end the connection; half a frame is left behind where they do not.
      socket.write(Buffer.concat([fuzzed.damaged(), Buffer.from('\n')]));
      socket.end('{"half": '.repeat(fuzzed.random(1000)));
      socket.resume();
      const asked = performance.now();
      await client.call('status', {});
      worst = Math.max(worst, performance.now() - asked);
      await closed;
    }
    await checkAnswers();
    const after = await client.call('status', {});
    const growth = after.rss - before.rss;
    assert.ok(growth < maxGrowth, `${growth} bytes more`);
    printFuzzTotals(
      `${frames} frames; a call took ${worst.toFixed(1)} ms at most; ${Math.round(growth / 1e6)} MB more memory`,
    );
    assert.doesNotMatch(place.log(), /A call failed/);
  });

  it('are disconnected at an oversized frame, and share a limit for unfinished ones', async () => {
    const before = await client.call('status', {});
    const chunk = Buffer.alloc(1 << 20, 'x');
    const closed: Promise<unknown>[] = [];
    for (let index = 0; index < 20; index += 1) {
      const socket = await joined();
      socket.resume();
      closed.push(new Promise((resolve) => socket.once('close', resolve)));
      for (let sent = 0; sent < 17; sent += 1) socket.write(chunk);
    }
    await checkAnswers();
    await Promise.all(closed);
    await until('the frames to be forgotten', async () => {
      const { rss, clients } = await client.call('status', {});
      return clients === 1 && rss - before.rss < maxGrowth;
    });
  });

  it('that never read their answers cost no more memory', async () => {
    const before = await client.call('status', {});
    const socket = await joined();
    socket.pause();
    const request = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'status', params: {} })}\n`.repeat(1000);
    // Taken as long as the daemon reads; then it stays here.
    for (let batch = 0; batch < 300; batch += 1) socket.write(request);
    for (let call = 0; call < 200; call += 1) await client.call('status', {});
    const { rss } = await client.call('status', {});
    assert.ok(rss - before.rss < maxGrowth, `${rss - before.rss} bytes more`);
    assert.ok(socket.writableLength > 0, 'the daemon stopped reading');
    await checkAnswers();
  });

  it('are 500 at once, half of them silent, and the daemon still answers', async () => {
    const silent = Array.from({ length: 250 }, () => open());
    const clients = await Promise.all(Array.from({ length: 250 }, () => joined()));
    for (const socket of clients) socket.resume();
    await checkAnswers();
    for (const socket of [...silent, ...clients]) socket.destroy();
    await until('them to be gone', async () => (await client.call('status', {})).clients === 1);
  });
});
