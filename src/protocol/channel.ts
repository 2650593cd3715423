import type { Envelope } from './panel/messages.ts';

export interface ChannelOptions<Out, In> {
  post(envelope: Envelope<Out>): void;
  deliver(message: In): void;
  /**
   * Whether a message starts a generation. The page has it: it takes the sender's numbering from such a message and checks
   * every later one against it. Without it, every message is delivered: requests from the page stay valid over a resync.
   */
  readonly startsGeneration?: (message: In) => boolean;
  /** Called once when a message is missing, until a new generation begins. */
  readonly onGap?: () => void;
}

/**
 * One end of the channel between extension host and page. Both ends number their messages; the receiver drops messages of an
 * earlier generation and duplicates, and detects gaps.
 */
export class Channel<Out, In> {
  readonly #options: ChannelOptions<Out, In>;
  #generation = 0;
  #nextSeq = 0;
  #expected: number | undefined;
  #hasGap = false;

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
    this.#nextSeq = 0;
  }

  /** Returns the message's `seq`. */
  send(message: Out): number {
    const seq = this.#nextSeq++;
    this.#options.post({ generation: this.#generation, seq, message });
    return seq;
  }

  receive({ generation, seq, message }: Envelope<In>): void {
    const { startsGeneration } = this.#options;
    if (startsGeneration === undefined) {
      this.#options.deliver(message);
    } else if (startsGeneration(message)) {
      if (generation < this.#generation) return;
      this.#generation = generation;
      this.#expected = seq + 1;
      this.#hasGap = false;
      this.#options.deliver(message);
    } else if (generation === this.#generation && seq === this.#expected) {
      this.#expected = seq + 1;
      this.#options.deliver(message);
    } else if (generation > this.#generation || (generation === this.#generation && seq > (this.#expected ?? -1))) {
      this.reportGap();
    }
  }

  /** Call this when a message continues from a state that is not here. */
  reportGap(): void {
    if (this.#hasGap) return;
    this.#hasGap = true;
    this.#options.onGap?.();
  }
}

/** Narrows a message to an envelope; the receiver checks its content. */
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
