import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WebSocketServer } from 'ws';
import { openWebSocket } from '../../../../../src/engine/sources/live/webSocket.ts';
import { skip } from '../../../../support/skip.ts';

const silent = { onText: () => undefined, onClose: () => undefined };
const never = new AbortController().signal;

describe('a WebSocket of another program', function () {
  let folder: string;
  let file: string;
  const servers: Server[] = [];
  before(function () {
    if (process.platform === 'win32') skip(this, 'Node opens no Unix sockets on Windows');
  });
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'ws-'));
    file = path.join(folder, 'a b');
  });
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
    rmSync(folder, { recursive: true });
  });

  async function serve<S extends Server>(server: S, at = file): Promise<S> {
    servers.push(server);
    server.listen(at);
    await once(server, 'listening');
    return server;
  }

  it('takes and gives texts of any length, and says when it has ended', async () => {
    const texts = ['', 'a', 'ü'.repeat(62), '😀'.repeat(16_384), 'c'.repeat(70_000)];
    const echo = new WebSocketServer({ server: await serve(createHttpServer()) });
    echo.on('connection', (client) => {
      client.on('message', (data: Buffer, binary) => {
        client.send(data, { binary });
      });
    });
    const heard: string[] = [];
    let onText: (text: string) => void = () => undefined;
    const ended = new Promise<void>((onClose) => {
      void openWebSocket(file, { onText: (text) => onText(text), onClose }, never).then((link) => {
        onText = (text) => {
          heard.push(text);
          if (heard.length === texts.length) link.close();
        };
        for (const text of texts) link.send(text);
      });
    });
    await ended;
    assert.deepEqual(heard, texts);
  });

  it('is refused by what is not there, speaks something else, or never answers', async () => {
    await assert.rejects(openWebSocket(file, silent, never), /ENOENT/);
    await serve(createHttpServer((_request, response) => response.writeHead(404).end()));
    await assert.rejects(openWebSocket(file, silent, never), /404/);
    const mute = path.join(folder, 'mute');
    await serve(createServer(), mute);
    await assert.rejects(openWebSocket(mute, silent, AbortSignal.timeout(50)), /closed before/);
  });
});
