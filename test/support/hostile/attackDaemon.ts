/**
 * `attackDaemon.ts FOLDER FRAMES`: attacks the daemon with this folder from a process of its own, in all ways at once: fuzzed
 * frames on connections that know the token, oversized frames, silent connections and halves of handshakes, and connected
 * clients. Prints `ready` when all are connected, one line when the frames are sent, and continues with the other ways until its
 * standard input ends.
 */
import { createConnection, type Socket } from 'node:net';
import { readEndpoint } from '../../../src/transport/endpoint.ts';
import { joinServer } from '../../../src/transport/handshake.ts';
import { JsonLineReader } from '../../../src/transport/jsonLines.ts';
import { FuzzedFrames } from './frames.ts';

const [folder = '', count = '0'] = process.argv.slice(2);
const endpoint = await readEndpoint(folder);
if (endpoint === null) throw new Error(`no daemon in ${folder}`);
const { address, token } = endpoint;

const fuzzers = 8;
const idleClients = 250;
const strangers = 240;
/** Frames that one connection sends before its last, which is damaged. */
const perConnection = 200;
const oversized = Buffer.alloc(1 << 20, 'x');

function open(): Socket {
  const socket = createConnection({ path: address });
  socket.on('error', () => undefined);
  return socket;
}

const closed = (socket: Socket): Promise<unknown> =>
  socket.destroyed ? Promise.resolve() : new Promise((resolve) => socket.once('close', resolve));

/** A connection that knows the token. `null`: the daemon closed it. */
async function join(): Promise<Socket | null> {
  const socket = open();
  const isJoined = await joinServer(socket, new JsonLineReader(socket), token).catch(() => false);
  socket.resume();
  return isJoined ? socket : null;
}

async function write(socket: Socket, bytes: string | Buffer): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const settle = (): void => {
      socket.off('drain', settle).off('close', settle);
      resolve();
    };
    socket.on('drain', settle).on('close', settle);
  });
}

async function sendFrames(frames: FuzzedFrames, number: number): Promise<void> {
  // Made before, so that the daemon and not this process is the bottleneck.
  const pool = Array.from({ length: 2000 }, () => `${frames.message()}\n`);
  for (let sent = 0; sent < number;) {
    const socket = await join();
    if (socket === null) continue;
    const end = closed(socket);
    for (let frame = 0; frame < perConnection; frame += 1) await write(socket, pool[frames.random(pool.length)] ?? '');
    sent += perConnection;
    socket.write(Buffer.concat([frames.damaged(), Buffer.from('\n')]));
    socket.end('{"half": '.repeat(frames.random(1000)));
    await end;
  }
}

async function sendOversized(): Promise<never> {
  for (;;) {
    const socket = await join();
    for (let sent = 0; socket !== null && sent < 17; sent += 1) await write(socket, oversized);
    if (socket !== null) await closed(socket);
  }
}

/** Says nothing, or begins a handshake; the daemon closes it after a while, and another comes. */
async function connectAsStranger(index: number): Promise<never> {
  for (;;) {
    const socket = open();
    socket.resume();
    if (index % 2 === 0) socket.write('{"proof": "');
    await closed(socket);
  }
}

process.stdin.once('end', () => process.exit(0)).resume();
const idle = await Promise.all(Array.from({ length: idleClients }, join));
for (let index = 0; index < strangers; index += 1) void connectAsStranger(index);
void sendOversized();
console.log(`ready ${idle.filter((socket) => socket !== null).length}`);
const share = Math.ceil(Number(count) / fuzzers);
const seeds = Array.from({ length: fuzzers }, (_, index) => 20_261_124 + index);
const started = performance.now();
await Promise.all(seeds.map((seed) => sendFrames(new FuzzedFrames(seed), share)));
console.log(`sent ${share * fuzzers} frames in ${((performance.now() - started) / 1000).toFixed(1)} s`);
