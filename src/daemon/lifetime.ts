/** How long the daemon stays after the last client has left and the last run has ended, in ms. */
const defaultIdleMs = 60_000;

/** Decides when the daemon exits. */
export class Lifetime {
  readonly #exit: () => void;
  readonly #idleMs: number;
  #clients = 0;
  #runs = 0;
  #queuedRuns = 0;
  #races = 0;
  #remote = 0;
  #isRetiring = false;
  #timer: NodeJS.Timeout | undefined;

  /** `exit` is called once. */
  constructor(exit: () => void, idleMs = defaultIdleMs) {
    let isOver = false;
    this.#idleMs = idleMs;
    this.#exit = () => {
      if (isOver) return;
      isOver = true;
      exit();
    };
    this.#check();
  }

  /** No new runs are accepted. */
  get isRetiring(): boolean {
    return this.#isRetiring;
  }

  setClients(count: number): void {
    this.#clients = count;
    this.#check();
  }

  setRuns(count: number): void {
    this.#runs = count;
    this.#check();
  }

  /** Queued runs that wait for a runner; each is taken or fails within minutes. */
  setQueuedRuns(count: number): void {
    this.#queuedRuns = count;
    this.#check();
  }

  /** Sessions that other machines run for agents of this one. The next daemon can follow them, too. */
  setRemote(count: number): void {
    this.#remote = count;
    this.#check();
  }

  /** Races that run: between the runs of their agents, they run commands. */
  setRaces(count: number): void {
    this.#races = count;
    this.#check();
  }

  retire(when: 'idle' | 'now'): void {
    this.#isRetiring = true;
    // Sends the answer to the client first.
    if (when === 'now') setImmediate(this.#exit);
    else this.#check();
  }

  #check(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#runs > 0 || this.#races > 0) return;
    if (this.#isRetiring) setImmediate(this.#exit);
    else if (this.#clients + this.#queuedRuns + this.#remote === 0) this.#timer = setTimeout(this.#exit, this.#idleMs);
  }
}
