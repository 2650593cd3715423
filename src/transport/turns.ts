/** Per turn of the event loop, for all connections together. */
const maxMessages = 16;
const maxMs = 4;
/** One in this many messages comes from a busy connection. */
const busyShare = 4;

/** A connection with received bytes. */
export interface TurnTaker {
  /** Handles one message at most. Returns whether there may be another one. */
  handleNext(): boolean;
}

/**
 * Lets connections take turns, so that one that sends much, or many of them, do not delay the others: one message each,
 * first those that had nothing waiting, and only a few before the event loop looks for other work.
 */
export class FairTurns {
  readonly #idleTakers = new Set<TurnTaker>();
  readonly #busyTakers = new Set<TurnTaker>();
  readonly #now: () => number;
  #isPlanned = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(taker: TurnTaker): void {
    if (this.#busyTakers.has(taker)) return;
    this.#idleTakers.add(taker);
    this.#scheduleTurn();
  }

  remove(taker: TurnTaker): void {
    this.#idleTakers.delete(taker);
    this.#busyTakers.delete(taker);
  }

  #scheduleTurn(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(this.#run);
  }

  readonly #run = (): void => {
    this.#isPlanned = false;
    const end = this.#now() + maxMs;
    for (let taken = 1; taken <= maxMessages; taken += 1) {
      const taker = this.#takeNext(taken % busyShare === 0);
      if (taker === undefined) return;
      this.remove(taker);
      if (taker.handleNext()) this.#busyTakers.add(taker);
      if (this.#now() >= end) break;
    }
    if (this.#idleTakers.size + this.#busyTakers.size > 0) this.#scheduleTurn();
  };

  #takeNext(prefersBusy: boolean): TurnTaker | undefined {
    const [fresh] = this.#idleTakers;
    const [busy] = this.#busyTakers;
    return prefersBusy ? (busy ?? fresh) : (fresh ?? busy);
  }
}
