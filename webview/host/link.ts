import { Channel, isEnvelope } from '../../src/protocol/channel.ts';
import { SentState } from '../../src/protocol/panel/sentState.ts';
import type { FromPage, Packet, ToPage } from '../../src/protocol/panel/messages.ts';
import { isObject } from '../text/objects.ts';
import { post } from './vscodeApi.ts';

/** The page's end of the channel: messages in order, and answers to requests. */
export class HostLink {
  readonly #channel: Channel<FromPage, unknown>;
  readonly #last = new SentState();
  readonly #pendingRequests = new Map<number, (answer: ToPage) => void>();
  #request = 0;
  #acknowledged = -1;

  constructor(deliver: (message: ToPage) => void) {
    this.#channel = new Channel<FromPage, unknown>({
      post,
      startsGeneration: (message) => isMessage(message) && message.type === 'init',
      onGap: () => this.send({ type: 'resync' }),
      deliver: (sent) => {
        // Unknown messages of a newer host count in the numbering, and are ignored.
        if (!isMessage(sent)) return;
        const message = this.#last.readMessage(sent);
        if (message === undefined) {
          this.#channel.reportGap();
          return;
        }
        if (message.type === 'init') this.#acknowledged = -1;
        this.#answer(message);
        deliver(message);
      },
    });
    window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isEnvelope(data)) this.#channel.receive(data);
    });
  }

  send(message: FromPage): void {
    this.#channel.send(message);
  }

  /** Resolves with the answer, including `failed`; never if the host does not answer. */
  request(message: (request: number) => FromPage): Promise<ToPage> {
    const request = ++this.#request;
    return new Promise((resolve) => {
      this.#pendingRequests.set(request, resolve);
      this.send(message(request));
    });
  }

  /** Tells the host that everything so far is on screen. */
  acknowledgeDrawn(): void {
    const { received } = this.#channel;
    if (received <= this.#acknowledged) return;
    this.#acknowledged = received;
    this.send({ type: 'ack', seq: received });
  }

  #answer(message: ToPage): void {
    if (!('request' in message)) return;
    this.#pendingRequests.get(message.request)?.(message);
    this.#pendingRequests.delete(message.request);
  }
}

/** All of them: the compiler does not detect a missing one. */
const types: Readonly<Record<Packet['type'], true>> = {
  init: true,
  view: true,
  updates: true,
  page: true,
  entry: true,
  found: true,
  links: true,
  evidence: true,
  sources: true,
  failed: true,
  takenBack: true,
  review: true,
  trajectory: true,
  files: true,
  viewsChanged: true,
  ledger: true,
  resume: true,
  messageFigures: true,
  reveal: true,
  since: true,
  editPreviews: true,
};

/** The host has our version, so only the type of a message is checked. */
function isMessage(value: unknown): value is Packet {
  return isObject(value) && typeof value['type'] === 'string' && Object.hasOwn(types, value['type']);
}
