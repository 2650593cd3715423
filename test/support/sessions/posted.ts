import type { EntryUpdate } from '../../../src/model/transcript/entry.ts';
import { Transcript } from '../../../src/model/transcript/transcript.ts';
import { Channel } from '../../../src/protocol/channel.ts';
import { appendText, SentState } from '../../../src/protocol/panel/sentState.ts';
import type { Envelope, FromPage, PageEntry, Packet, SessionView } from '../../../src/protocol/panel/messages.ts';
import { pageEntry } from '../../../src/protocol/panel/pageEntries.ts';
import { UpdateFeed } from '../../../src/protocol/panel/updateFeed.ts';

/** Updates that a host posts for an active session, the resulting page state, and their size. */
export class PostedMessages {
  /** JSON bytes of all updates, as VS Code transfers them. */
  bytes = 0;
  messages = 0;
  gaps = 0;
  /** Entries of the page by index. */
  readonly entries = new Map<number, PageEntry>();
  view: SessionView;
  readonly #feed: UpdateFeed;
  readonly #host: Channel<Packet, FromPage>;
  readonly #last = new SentState();
  readonly #session = new Transcript();
  #total = 0;

  constructor(view: SessionView) {
    this.view = view;
    const page = new Channel<FromPage, Packet>({
      post: () => undefined,
      startsGeneration: ({ type }) => type === 'init',
      onGap: () => (this.gaps += 1),
      deliver: (message) => this.#addMessage(message),
    });
    this.#host = new Channel<Packet, FromPage>({
      deliver: () => undefined,
      post: (envelope) => {
        const text = JSON.stringify(envelope);
        if (envelope.message.type !== 'init') {
          this.bytes += Buffer.byteLength(text);
          this.messages += 1;
        }
        this.#acknowledged = envelope.seq;
        page.receive(JSON.parse(text) as Envelope<Packet>);
      },
    });
    this.#feed = new UpdateFeed(this.#host);
    this.begin();
  }

  #acknowledged = -1;

  begin(): void {
    this.#host.restart();
    const entries = this.#session.settledEntries().map((entry) => pageEntry(entry));
    const page = { total: this.#total, from: 0, entries };
    this.#feed.begin({
      type: 'init',
      view: this.view,
      page,
      open: this.#session.open(),
      detail: 'everything',
      l10n: {},
      locale: 'en',
    });
  }

  push(updates: readonly EntryUpdate[]): void {
    this.#session.apply(updates);
    for (const update of updates) if (update.op === 'put') this.#total = Math.max(this.#total, update.entry.index + 1);
    this.#feed.push(
      updates.map((update) => (update.op === 'append' ? update : { ...update, entry: pageEntry(update.entry) })),
      this.#total,
    );
  }

  show(view: SessionView): void {
    this.#feed.show(view);
  }

  /** The page has drawn the updates. */
  frame(): void {
    this.#feed.acknowledge(this.#acknowledged);
  }

  /** JSON bytes of the page's current entries. */
  get content(): number {
    let bytes = 0;
    for (const entry of this.entries.values()) bytes += Buffer.byteLength(JSON.stringify(entry));
    return bytes;
  }

  #addMessage(sent: Packet): void {
    const message = this.#last.readMessage(sent);
    switch (message?.type) {
      case undefined:
        this.gaps += 1;
        break;
      case 'init':
        this.entries.clear();
        for (const entry of message.page.entries) this.entries.set(entry.index, entry);
        break;
      case 'view':
        this.view = message.view;
        break;
      case 'updates':
        for (const update of message.updates) {
          const entry = update.op === 'put' ? update.entry : this.entries.get(update.index);
          if (entry !== undefined)
            this.entries.set(entry.index, update.op === 'put' ? entry : appendText(entry, update.text));
        }
        break;
      default:
        break;
    }
  }
}
