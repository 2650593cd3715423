import { maxErrorLength, type CoordinatorLink, type RunReport, type Seat } from '../../coordinator/api.ts';
import { CoordinatorError } from '../../coordinator/errors.ts';
import type { Log } from '../api.ts';

/** Whom to tell, and as whom; `undefined` while there is no one. */
export type Listener = () => { readonly link: Pick<CoordinatorLink, 'report'>; readonly seat: Seat } | undefined;

/** What a runner has to say of its runs: kept in order until a coordinator has heard it. */
export class Reports {
  readonly #listener: Listener;
  readonly #log: Log;
  readonly #untold = new Map<string, RunReport>();
  #telling: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(listener: Listener, log: Log) {
    this.#listener = listener;
    this.#log = log;
  }

  /** Of which runs something is still to be said. */
  runs(): readonly string[] {
    return [...this.#untold.values()].map(({ run_id }) => run_id);
  }

  /** Resolves when it was told, or no one is there to be told. */
  add(report: RunReport): Promise<void> {
    this.#untold.set(`${report.run_id} ${report.status}`, cut(report));
    return this.tell();
  }

  /** One round at a time; who asks during one waits for the next, which all of them share. */
  tell(): Promise<void> {
    this.#next ??= this.#telling.then(() => {
      this.#next = undefined;
      this.#telling = this.#tellAll();
      return this.#telling;
    });
    return this.#next;
  }

  async #tellAll(): Promise<void> {
    for (const [key, report] of this.#untold) {
      if (!(await this.#isSettled(report))) return;
      this.#untold.delete(key);
    }
  }

  /** Whether nothing more is to be said: it was heard, or is not wanted. */
  async #isSettled(report: RunReport): Promise<boolean> {
    const { link, seat } = this.#listener() ?? {};
    if (link === undefined || seat === undefined) return false;
    try {
      await link.report(seat, report);
      return true;
    } catch (error) {
      if (CoordinatorError.is(error, 'unreachable') || CoordinatorError.is(error, 'unknown_runner')) return false;
      this.#log.warn(`${report.run_id} ${report.status}: ${String(error)}`);
      const { error: why, ...bare } = report;
      // That a run has ended is said in any case, or its runner would wait for ever with it.
      return why === undefined || !CoordinatorError.is(error, 'invalid') || this.#isSettled(bare);
    }
  }
}

function cut({ error, ...report }: RunReport): RunReport {
  return error === undefined ? report : { ...report, error: error.slice(0, maxErrorLength) };
}
