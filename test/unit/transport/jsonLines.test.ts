import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FlowControl, FrameBudget } from '../../../src/transport/flowControl.ts';
import { JsonLineReader, type ReaderOptions } from '../../../src/transport/jsonLines.ts';
import { FairTurns } from '../../../src/transport/turns.ts';
import { until } from '../../support/until.ts';

/** A stream that stands in for a socket. */
const stream = (): Socket => new PassThrough() as unknown as Socket;
const request = (id: number, text = ''): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'status', params: { text } })}\n`;

interface LineReading {
  readonly socket: Socket;
  readonly ids: unknown[];
  readonly errors: string[];
}

function reading(options: ReaderOptions): LineReading {
  const socket = stream();
  const reader = new JsonLineReader(socket, options);
  const [ids, errors]: [unknown[], string[]] = [[], []];
  reader.onError(({ message }) => errors.push(message));
  reader.listen((message) => ids.push('id' in message ? message.id : undefined));
  return { socket, ids, errors };
}

describe('JSON lines', () => {
  it('arrive whole and in order, however their bytes are cut', async () => {
    const sent = Array.from({ length: 40 }, (_, id) => request(id, 'ä🙂'.repeat(id)));
    const bytes = Buffer.from(sent.join(''));
    for (const turns of [undefined, new FairTurns()])
      for (const size of [1, 7, 1000, bytes.length]) {
        const budget = new FrameBudget(bytes.length);
        const { socket, ids, errors } = reading({ budget, ...(turns !== undefined && { turns }) });
        for (let at = 0; at < bytes.length; at += size) socket.write(bytes.subarray(at, at + size));
        await until('all messages', () => ids.length === sent.length);
        assert.deepEqual(ids, [...sent.keys()]);
        assert.deepEqual(errors, []);
        assert.ok(budget.acquire(bytes.length), 'every byte was given back');
        socket.destroy();
      }
  });

  it('of the handshake come one by one, and what follows goes to the listener', async () => {
    for (const turns of [undefined, new FairTurns()]) {
      const socket = stream();
      const reader = new JsonLineReader(socket, turns === undefined ? {} : { turns });
      socket.write(`{"nonce":1}\n{"proof":2}\n${request(3)}${request(4)}`);
      assert.deepEqual(await reader.next(), { nonce: 1 });
      await nextTurn();
      assert.deepEqual(await reader.next(), { proof: 2 });
      await nextTurn();
      const ids: unknown[] = [];
      reader.listen((message) => ids.push('id' in message ? message.id : undefined));
      await until('the requests', () => ids.length === 2);
      assert.deepEqual(ids, [3, 4]);
    }
  });

  it('wait in the socket while a client has too many messages pending', async () => {
    const [flow, turns] = [new FlowControl(), new FairTurns()];
    const { socket, ids } = reading({ flow, turns });
    const count = 5000;
    for (let id = 0; id < count; id += 1) socket.write(request(id, 'x'.repeat(100)));
    await until('the limit', () => flow.isFull);
    for (let turn = 0; turn < 500; turn += 1) await nextTurn();
    assert.ok(ids.length < 300, `${ids.length} messages without an answer`);
    assert.ok(socket.isPaused());
    for (let answered = 0; ids.length < count;) {
      if (answered < ids.length) flow.handleAnswer({ id: answered++, result: {} });
      else await nextTurn();
    }
    assert.deepEqual(ids, [...Array.from({ length: count }).keys()]);
  });

  it('end a connection if they have too many values, are too long, or are not JSON-RPC', async () => {
    const many = JSON.stringify({ jsonrpc: '2.0', method: 'a', params: Array.from({ length: 100_000 }, () => [0]) });
    const text = JSON.stringify({ jsonrpc: '2.0', method: 'a', params: [','.repeat(500_000)] });
    for (const [line, reason] of [
      [`${many}\n`, /more than 1000 values/],
      ['x'.repeat(17 << 20), /longer than/],
      ['{"jsonrpc":"1.0"}\n', /not JSON-RPC/],
      ['{"jsonrpc"\n', /not JSON/],
    ] as const) {
      const budget = new FrameBudget(64 << 20);
      const { socket, ids, errors } = reading({ maxValues: 1000, budget, turns: new FairTurns() });
      socket.write(`${text}\n${line}`);
      await until('the end', () => socket.destroyed);
      assert.equal(ids.length, 1);
      assert.match(errors.join(), reason);
      assert.ok(budget.acquire(64 << 20), 'every byte was given back');
    }
  });

  it('of all connections together have a limit', async () => {
    const budget = new FrameBudget(1000);
    const [first, second] = [reading({ budget, turns: new FairTurns() }), reading({ budget, turns: new FairTurns() })];
    first.socket.write('{"half'.padEnd(600));
    await until('the first half', () => !budget.acquire(500));
    second.socket.write('{"half'.padEnd(600));
    await until('the end', () => second.socket.destroyed);
    assert.match(second.errors.join(), /All clients together/);
    assert.equal(first.socket.destroyed, false);
  });
});
