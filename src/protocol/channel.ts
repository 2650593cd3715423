import type { Envelope } from './panel/messages.ts';

export interface ChannelOptions<Out, In> {
  post(envelope: Envelope<Out>): void;
  deliver(message: In): void;
  /**
   * Whether a message opens a generation. The end that has it (the page) takes the sender's numbering from such a
   * message and holds every other one against it. Without it, every message is delivered: what a person asked for in the
   * page stays valid over a resync.
   */
  readonly begins?: (message: In) => boolean;
  /** A message is missing: called once until a new generation begins. */
  readonly gap?: () => void;
}

/**
 * One end of the conversation between extension host and page. Both ends number what they send; the receiver drops what
 * is of an earlier generation or came twice, and notices what is missing.
 */
export class Channel<Out, In> {
  readonly #options: ChannelOptions<Out, In>;
  #generation = 0;
  #sent = 0;
  #expected: number | undefined;
  #broken = false;

  constructor(options: ChannelOptions<Out, In>) {
    this.#options = options;
  }

  get generation(): number {
    return this.#generation;
  }

  /** The `seq` of the newest message that came in order; -1 before the first. */
  get received(): number {
    return (this.#expected ?? 0) - 1;
  }

  /** Begins the next generation; the first message sent after it has `seq` 0. */
  restart(): void {
    this.#generation += 1;
    this.#sent = 0;
  }

  /** Returns the message's `seq`. */
  send(message: Out): number {
    const seq = this.#sent++;
    this.#options.post({ generation: this.#generation, seq, message });
    return seq;
  }

  receive({ generation, seq, message }: Envelope<In>): void {
    const { begins } = this.#options;
    if (begins === undefined) {
      this.#options.deliver(message);
    } else if (begins(message)) {
      if (generation < this.#generation) return;
      this.#generation = generation;
      this.#expected = seq + 1;
      this.#broken = false;
      this.#options.deliver(message);
    } else if (generation === this.#generation && seq === this.#expected) {
      this.#expected = seq + 1;
      this.#options.deliver(message);
    } else if (generation > this.#generation || (generation === this.#generation && seq > (this.#expected ?? -1))) {
      this.miss();
    }
  }

  /** What came continues from something that is not here: to be called by whoever finds that out. */
  miss(): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#options.gap?.();
  }
}

/** Narrows what arrived to an envelope; what it carries is the receiver's to judge. */
export function isEnvelope(data: unknown): data is Envelope<unknown> {
  return (
    typeof data === 'object' &&
    data !== null &&
    'generation' in data &&
    typeof data.generation === 'number' &&
    'seq' in data &&
    typeof data.seq === 'number' &&
    'message' in data
  );
}
