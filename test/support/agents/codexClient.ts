import assert from 'node:assert/strict';
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import path from 'node:path';
import { openWebSocket, type WebSocketLink } from '../../../src/engine/sources/live/webSocket.ts';
import { isObject, type JsonObject } from '../../../src/model/text/json.ts';
import { until } from '../until.ts';

export function codexSocket(home: string): string {
  return path.join(home, '.codex/app-server-control/app-server-control.sock');
}

/** The server that `codex` in a terminal starts. */
export function startCodexServer(program: string, options: SpawnOptions): ChildProcess {
  return spawn(program, ['app-server', '--listen', 'unix://'], { ...options, stdio: 'ignore' });
}

/** A program that has sessions open in the server of Codex, as a terminal or an editor. */
export class CodexClient {
  readonly received: JsonObject[] = [];
  #link: WebSocketLink | undefined;
  #nextId = 1;

  static async connect(socket: string): Promise<CodexClient> {
    const program = new CodexClient();
    const onText = (line: string): void => {
      const value: unknown = JSON.parse(line);
      if (isObject(value)) program.received.push(value);
    };
    // The socket may exist before the server listens.
    program.#link = await until('the server of Codex', () =>
      openWebSocket(socket, { onText, onClose: () => undefined }, AbortSignal.timeout(30_000)).catch(() => undefined),
    );
    const clientInfo = { name: 'other', title: 'Other program', version: '1' };
    await program.call('initialize', { clientInfo, capabilities: null });
    program.send({ method: 'initialized' });
    return program;
  }

  send(message: JsonObject): void {
    this.#link?.send(JSON.stringify(message));
  }

  async call(method: string, params: JsonObject): Promise<JsonObject> {
    const id = this.#nextId++;
    this.send({ id, method, params });
    const answer = await until(`an answer to ${method}`, () =>
      this.received.find((message) => message['id'] === id && message['method'] === undefined),
    );
    assert.ok(isObject(answer['result']), JSON.stringify(answer));
    return answer['result'];
  }

  /** Waits until a notification or request of this method was heard for the nth time. */
  async waitFor(method: string, times = 1): Promise<JsonObject> {
    return until(method, () => this.received.filter((message) => message['method'] === method)[times - 1]);
  }

  /** Opens a session that asks for commands outside the sandbox, and returns its id. */
  async startThread(cwd: string): Promise<string> {
    const opened = await this.call('thread/start', { cwd, approvalPolicy: 'on-request', sandbox: 'read-only' });
    assert.ok(isObject(opened['thread']) && typeof opened['thread']['id'] === 'string');
    return opened['thread']['id'];
  }

  prompt(threadId: string, text: string): Promise<JsonObject> {
    return this.call('turn/start', { threadId, input: [{ type: 'text', text, text_elements: [] }] });
  }

  close(): void {
    this.#link?.close();
  }
}
