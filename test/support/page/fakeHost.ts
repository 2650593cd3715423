/** Runs in the browser instead of VS Code: talks to the page about a made-up session. */
import type { EditPreview } from '../../../src/model/transcript/editPreview.ts';
import type { EntryUpdate, NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import { matchesOperators } from '../../../src/insight/search/facts.ts';
import { parseQuery } from '../../../src/insight/search/query.ts';
import type { MessageFigure, MissingFigure } from '../../../src/model/usage/messageFigure.ts';
import { Transcript } from '../../../src/model/transcript/transcript.ts';
import { Channel, isEnvelope } from '../../../src/protocol/channel.ts';
import type { DetailLevel } from '../../../src/protocol/panel/detailLevel.ts';
import type { LedgerCard, ResumeFacts } from '../../../src/protocol/panel/figureMessages.ts';
import type { Envelope, FromPage, PageUpdate, Packet, SessionView } from '../../../src/protocol/panel/messages.ts';
import { pageEntry } from '../../../src/protocol/panel/pageEntries.ts';
import { maxSummaryTurns } from '../../../src/formats/record.ts';
import { PageCitations } from './citations.ts';
import { createLongScript, view } from './madeUp.ts';
import { StepNumbers } from '../../../src/model/transcript/steps.ts';
import { UpdateFeed } from '../../../src/protocol/panel/updateFeed.ts';
import { SessionViews } from '../../../src/pages/session/sessionViews.ts';

export interface LoadOptions {
  readonly view: SessionView;
  readonly entries: readonly NormalizedEntry[];
  readonly open?: readonly number[];
  readonly detail?: DetailLevel;
  readonly ledger?: LedgerCard;
  readonly resume?: ResumeFacts;
  /** Usage of messages, by entry index. */
  readonly figures?: Readonly<Record<number, MessageFigure | MissingFigure>>;
  readonly l10n?: Readonly<Record<string, string>>;
  /** Current files of the project, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Edit previews by request id. */
  readonly previews?: Readonly<Record<string, readonly EditPreview[]>>;
}

const encoder = new TextEncoder();
const stateKey = 'made-up-state';

export class FakeHost {
  /** All messages from the page, in order. */
  readonly received: FromPage[] = [];
  /** Numbers of messages posted to the page, and of their JSON bytes. */
  posted = { bytes: 0, messages: 0 };
  /** While true, requests for pages are not answered. */
  holdPages = false;
  #outbox: unknown[] | undefined;
  /** Maximum number of entries in one find result. */
  mostFound = 1000;
  readonly #channel: Channel<Packet, FromPage>;
  readonly #feed: UpdateFeed;
  #options: LoadOptions | undefined;
  #entries = new Transcript();
  #steps = new StepNumbers();
  #citations = new PageCitations([], new Set(), {});
  #total = 0;
  #ready = false;
  #views: SessionViews | undefined;
  #heldMessages: FromPage[] = [];

  constructor() {
    this.#channel = new Channel<Packet, FromPage>({
      post: (envelope) => {
        this.posted = {
          bytes: this.posted.bytes + encoder.encode(JSON.stringify(envelope)).length,
          messages: this.posted.messages + 1,
        };
        // As in VS Code, the page gets a copy in a task of its own.
        if (this.#outbox === undefined) setTimeout(() => window.postMessage(structuredClone(envelope), '*'));
        else this.#outbox.push(structuredClone(envelope));
      },
      deliver: (message) => this.#handleMessage(message),
    });
    this.#feed = new UpdateFeed(this.#channel);
  }

  /** The API for the page. */
  api() {
    return {
      postMessage: (message: unknown): void => {
        if (isEnvelope(message)) this.#channel.receive(structuredClone(message) as Envelope<FromPage>);
      },
      getState: (): unknown => JSON.parse(sessionStorage.getItem(stateKey) ?? 'null'),
      setState: (state: unknown): void => sessionStorage.setItem(stateKey, JSON.stringify(state)),
    };
  }

  load(options: LoadOptions): void {
    this.#options = options;
    this.#entries = new Transcript();
    this.#steps = new StepNumbers();
    const open = new Set(options.open);
    this.#entries.apply(options.entries.map((entry) => ({ op: 'put', entry, open: open.has(entry.index) })));
    for (const entry of options.entries) this.#steps.add(entry);
    this.#citations = new PageCitations(options.entries, open, options.files ?? {});
    this.#total = options.entries.length;
    this.#views = this.#newViews();
    if (this.#ready) this.#init();
  }

  /** Takes a session, but sends nothing until `begin`. */
  keep(options: LoadOptions): void {
    this.#ready = false;
    this.load(options);
  }

  /** The same with a long session that is created here. */
  storeLongState(count: number): void {
    this.#ready = false;
    this.loadLong(count);
  }

  begin(): void {
    this.#ready = true;
    this.#init();
  }

  /** A session with this many entries, created here to avoid transferring it. `live`: its agent is running. */
  loadLong(count: number, live = false): void {
    const { entries, turns: all } = createLongScript(count);
    const turns = all.slice(-maxSummaryTurns);
    const last = turns.at(-1);
    if (live && last !== undefined) turns[turns.length - 1] = { ...last, status: 'running', durationMs: null };
    const can = { send: !live, stop: live, resume: !live };
    const status = live ? 'running' : 'finished';
    this.load({ entries, view: view({ turns, can }, { entries: count, status }) });
  }

  #newViews(): SessionViews {
    const source = {
      entryCount: () => this.#total,
      read: (from: number, to: number) =>
        Promise.resolve(
          Array.from({ length: to - from }, (_, at) => this.#entries.get(from + at)).filter(
            (entry) => entry !== undefined,
          ),
        ),
      turns: () => this.view().turns,
      isLive: () => this.view().can.stop,
      summary: () => this.view().summary,
      fileNow: (path: string) => {
        const files = this.#options?.files;
        if (files === undefined) return Promise.resolve(undefined);
        const text = files[path] ?? null;
        return Promise.resolve({ text, changedAt: text === null ? null : Date.parse('2026-11-21T10:31:00Z') });
      },
    };
    return new SessionViews(source, (answer) => this.#channel.send(answer));
  }

  view(): SessionView {
    if (this.#options === undefined) throw new Error('No session was loaded.');
    return this.#options.view;
  }

  setView(view: SessionView): void {
    if (this.#options !== undefined) this.#options = { ...this.#options, view };
    this.#feed.show(view);
  }

  /** Replaces the edit previews and notifies the page. */
  setPreviews(previews: LoadOptions['previews']): void {
    if (this.#options !== undefined) this.#options = { ...this.#options, ...(previews && { previews }) };
    this.#channel.send({ type: 'viewsChanged' });
  }

  update(updates: readonly EntryUpdate[]): void {
    this.#entries.apply(updates);
    for (const update of updates) if (update.op === 'put') this.#total = Math.max(this.#total, update.entry.index + 1);
    const forPage = updates.map((update): PageUpdate => {
      if (update.op === 'append') return update;
      if (update.open !== true) this.#citations.settled(update.entry);
      return { ...update, entry: this.#citations.on(pageEntry(update.entry, this.#steps.add(update.entry))) };
    });
    this.#feed.push(forPage, this.#total);
    this.#views?.update(updates);
  }

  /** Appends text in pieces, `perFrame` of them per frame, and closes the entry; resolves when done. */
  async stream(index: number, text: string, size = 20, perFrame = 40): Promise<void> {
    for (let at = 0; at < text.length;) {
      for (let n = 0; n < perFrame && at < text.length; n++, at += size) {
        this.update([{ op: 'append', index, text: text.slice(at, at + size) }]);
      }
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    const entry = this.#entries.get(index);
    if (entry !== undefined) this.update([{ op: 'put', entry }]);
  }

  /** Appends a message or a step to a long session; returns its size in bytes. */
  addOne(index: number): number {
    const { entries } = createLongScript(6);
    const template = entries[1 + (index % 5)];
    if (template === undefined) return 0;
    const { type } = template;
    const call = type.kind === 'tool_use' ? { ...type, tool: { ...type.tool, callId: `call_${index}` } } : type;
    const entry = { ...template, index, type: call };
    this.update([{ op: 'put', entry }]);
    return encoder.encode(JSON.stringify(this.#page(index, index + 1)[0])).length;
  }

  /** Streams a message of this many characters, like a model's. */
  async streamLong(index: number, chars: number): Promise<void> {
    const part = (n: number): string =>
      `## Part ${n}\n\nSome **bold** text with \`code\` that goes on for a while, so that it is a paragraph.\n\n- one\n- two\n\n\`\`\`ts\nconst n = ${n};\n\`\`\`\n\n`;
    const text = Array.from({ length: Math.ceil(chars / part(0).length) }, (_, n) => part(n))
      .join('')
      .slice(0, chars);
    const entry = {
      index,
      timestamp: '2026-01-02T10:20:00Z',
      type: { kind: 'assistant_message' },
      content: '',
    } as const;
    this.update([{ op: 'put', entry, open: true }]);
    await this.stream(index, text);
  }

  /** Posts a message unchecked, with the next number: for messages that the page does not know. */
  raw(message: unknown): void {
    this.#channel.send(message as Packet);
  }

  /** Skips a number, as if a message were lost. */
  dropMessage(): void {
    const post = window.postMessage.bind(window);
    window.postMessage = () => undefined;
    this.#channel.send({ type: 'failed', request: 0, message: 'lost' });
    setTimeout(() => {
      window.postMessage = post;
    });
  }

  /** Holds messages until `release`. */
  hold(): void {
    this.#outbox = [];
  }

  release(): void {
    for (const envelope of this.#outbox ?? []) window.postMessage(envelope, '*');
    this.#outbox = undefined;
  }

  releasePages(): void {
    this.holdPages = false;
    for (const message of this.#heldMessages.splice(0)) this.#handleMessage(message);
  }

  #init(): void {
    const { view, detail = 'everything', l10n = {} } = this.#options ?? {};
    if (view === undefined) return;
    const from = Math.max(0, (Math.ceil(this.#total / 100) - 1) * 100);
    this.#channel.restart();
    const page = { total: this.#total, from, entries: this.#page(from, this.#total) };
    this.#feed.begin({ type: 'init', view, page, open: this.#entries.open(), detail, l10n, locale: 'en' });
  }

  #page(from: number, to: number) {
    const entries = [];
    for (let index = from; index < to; index++) {
      const entry = this.#entries.get(index);
      if (entry !== undefined) entries.push(this.#citations.on(pageEntry(entry, this.#steps.numberOf(index))));
    }
    return entries;
  }

  #handleMessage(message: FromPage): void {
    this.received.push(message);
    switch (message.type) {
      case 'ready':
        this.#ready = true;
        this.#init();
        break;
      case 'resync':
        this.#init();
        break;
      case 'ack':
        this.#feed.acknowledge(message.seq);
        break;
      case 'getPage': {
        if (this.holdPages) {
          this.#heldMessages.push(message);
          break;
        }
        const { request, from, count } = message;
        const entries = this.#page(from, Math.min(this.#total, from + count));
        this.#channel.send({ type: 'page', request, page: { total: this.#total, from, entries } });
        break;
      }
      case 'getTrajectory':
      case 'getFiles':
      case 'getSince':
        void this.#views?.answer(message);
        break;
      case 'getEditPreviews':
        this.#channel.send({
          type: 'editPreviews',
          request: message.request,
          previews: this.#options?.previews?.[message.id] ?? [],
        });
        break;
      case 'getEvidence':
      case 'getSources':
        this.#channel.send(this.#citations.answer(message, (index) => this.#entries.get(index)));
        break;
      case 'getEntry':
        this.#channel.send({
          type: 'entry',
          request: message.request,
          entry: this.#entries.get(message.index) ?? null,
        });
        break;
      case 'getLedger': {
        const { ledger } = this.#options ?? {};
        if (ledger !== undefined) this.#channel.send({ type: 'ledger', request: message.request, ledger });
        break;
      }
      case 'getMessageFigures': {
        const { request, indexes } = message;
        const { figures = {}, view: { turns = [] } = {} } = this.#options ?? {};
        const { firstIndex = Infinity } = turns.findLast(({ status }) => status === 'running') ?? {};
        const missing = (index: number) => (index >= firstIndex ? 'not_yet' : 'not_per_message');
        const reported = indexes.map((index) => ({ index, figure: figures[index] ?? missing(index) }));
        this.#channel.send({ type: 'messageFigures', request, figures: reported });
        break;
      }
      case 'getResume': {
        const { resume } = this.#options ?? {};
        if (resume !== undefined) this.#channel.send({ type: 'resume', request: message.request, resume });
        break;
      }
      case 'find': {
        const { request, from } = message;
        const { query, problems } = parseQuery(message.query);
        const all = this.#entries
          .settledEntries()
          .filter((entry) => entry.index >= from && matchesOperators(entry, query));
        const indexes = all.slice(0, this.mostFound).map(({ index }) => index);
        const truncated = all.length > indexes.length;
        this.#channel.send({ type: 'found', request, indexes, truncated, texts: query.texts, problems });
        break;
      }
      default:
        break;
    }
  }
}

declare global {
  interface Window {
    host: FakeHost;
    acquireVsCodeApi: () => unknown;
  }
}

window.host = new FakeHost();
window.acquireVsCodeApi = () => window.host.api();
