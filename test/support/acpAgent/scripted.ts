import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Answer, Decision } from '../../../src/model/agent/request.ts';
import type { ClientLine } from '../../../src/model/transcript/clientLine.ts';
import type { DialogueHost, NewRequest } from '../../../src/agents/dialogue.ts';
import { AcpDialogue, type AcpTask } from '../../../src/engine/acp/dialogue.ts';

/** Fields of Vitrine's requests that tests inspect. */
interface Params {
  readonly sessionId?: string;
  readonly prompt?: readonly { readonly text: string }[];
}

export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface PendingRequest {
  readonly request: NewRequest;
  readonly decide: (answer: Answer, by?: Decision['by']) => void;
}

/** A queue of items that tests can await. */
class Inbox<T> {
  readonly #items: T[] = [];
  readonly #waiting: ((item: T) => void)[] = [];

  put(item: T): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#items.push(item);
    else waiting(item);
  }

  next(): Promise<T> {
    const item = this.#items.shift();
    return item === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(item);
  }

  get size(): number {
    return this.#items.length;
  }
}

export const capabilities = {
  protocolVersion: 1,
  agentInfo: { name: 'scripted', title: 'Scripted', version: '1.0.0' },
  agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
  authMethods: [{ id: 'a', name: 'Account', description: 'Run `scripted login`' }],
};

/** In-memory peer of an `AcpDialogue`: the test plays agent and engine. */
export class ScriptedAgent {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'vitrine-acp-')));
  readonly dialogue: AcpDialogue;
  /** Messages from Vitrine to the agent. */
  readonly sent = new Inbox<Message>();
  readonly asked = new Inbox<PendingRequest>();
  readonly receivedPrompts: ClientLine[] = [];
  readonly turnsOver = new Inbox<true>();
  readonly left = new Inbox<true>();
  readonly failures = new Inbox<string>();
  #ids = 100;
  readonly #answers = new Map<number, (message: Message) => void>();

  constructor(task: Partial<AcpTask> = {}) {
    const host: DialogueHost = {
      write: (line) => this.#written(JSON.parse(line) as Message),
      ask: (request, withdrawn) =>
        new Promise((resolve) => {
          const decide: PendingRequest['decide'] = (answer, by = 'user') =>
            resolve({ by, at: '2026-01-01T00:00:00.000Z', answer });
          void withdrawn?.then(() => decide({ kind: 'deny' }, 'withdrawn'));
          this.asked.put({ request, decide });
        }),
      record: (line) => void this.receivedPrompts.push(line),
      onTurnEnded: () => this.turnsOver.put(true),
      onTurnStarted: () => undefined,
      leave: () => this.left.put(true),
      fail: (message) => this.failures.put(message),
    };
    this.dialogue = new AcpDialogue(host, {
      prompt: 'Hello',
      cwd: this.folder,
      conversation: null,
      options: {},
      preset: undefined,
      program: 'scripted --acp',
      runId: 'run_000000000000',
      env: { PATH: process.env['PATH'] ?? '' },
      clock: Date.now,
      clientVersion: '0.0.0',
      ...task,
    });
  }

  /** Answers `initialize`, opens session `s1`, and returns the prompt request unanswered. */
  async toPrompt(opened: object = {}, greeting: object = capabilities): Promise<Message> {
    this.dialogue.begin();
    this.answer(await this.sent.next(), greeting);
    this.answer(await this.sent.next(), { sessionId: 's1', ...opened });
    return this.sent.next();
  }

  answer(to: Message, result: unknown): void {
    this.line({ jsonrpc: '2.0', id: to.id, result });
  }

  refuse(to: Message, code: number, message: string, data?: unknown): void {
    this.line({ jsonrpc: '2.0', id: to.id, error: { code, message, ...(data !== undefined && { data }) } });
  }

  update(update: object, sessionId = 's1'): void {
    this.line({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } });
  }

  /** Sends a request of the agent and returns Vitrine's response. */
  request(method: string, params: object): Promise<Message> {
    const id = (this.#ids += 1);
    const answered = new Promise<Message>((resolve) => this.#answers.set(id, resolve));
    this.line({ jsonrpc: '2.0', id, method, params: { sessionId: 's1', ...params } });
    return answered;
  }

  line(value: unknown): void {
    this.dialogue.handleLine(typeof value === 'string' ? value : JSON.stringify(value));
  }

  end(): void {
    void this.dialogue.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #written(message: Message): void {
    const answer = typeof message.id === 'number' ? this.#answers.get(message.id) : undefined;
    if (message.method === undefined && answer !== undefined) answer(message);
    else this.sent.put(message);
  }
}

export const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'always', name: 'Yes, all edits in this session', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
