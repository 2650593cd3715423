import type { SessionHandle } from '../engine/api.ts';
import { coldStart } from '../insight/coldStart.ts';
import { addCost, noCosts } from '../insight/costSum.ts';
import { descendantsOf } from '../insight/descendants.ts';
import { loadPrices } from '../insight/prices.ts';
import { UnrestoredCount } from '../insight/unrestored.ts';
import type { NormalizedEntry } from '../model/entry.ts';
import type { FigureAnswer, FigureRequest, LedgerCard, ResumeFacts } from '../protocol/figureMessages.ts';
import type { SessionRow } from './sessionRow.ts';

interface FiguresDeps {
  readonly handle: SessionHandle;
  /** Every session that is known. */
  readonly sessions: () => Iterable<SessionRow>;
  /** Resolves when `add` was given every entry. */
  readonly read: () => Promise<unknown>;
}

/** What a page asks about money, time and going on. */
export class SessionFigures {
  readonly #deps: FiguresDeps;
  readonly #unrestored = new UnrestoredCount();

  constructor(deps: FiguresDeps) {
    this.#deps = deps;
  }

  /** Of every entry, and again when it has changed. */
  add(entry: NormalizedEntry): void {
    const { handle } = this.#deps;
    if (entry.type.kind === 'user_message' && handle.turns().some(({ firstIndex }) => firstIndex === entry.index)) {
      this.#unrestored.nextRun();
    }
    this.#unrestored.add(entry);
  }

  async answer({ type, request }: FigureRequest): Promise<FigureAnswer> {
    return type === 'getLedger'
      ? { type: 'ledger', request, ledger: await this.#ledger() }
      : { type: 'resume', request, resume: await this.#resume() };
  }

  async #ledger(): Promise<LedgerCard> {
    const { handle, sessions } = this.#deps;
    const children = descendantsOf(sessions(), handle.id).filter(({ recording }) => !recording);
    const cost = children.map((row) => row.total_cost).reduce(addCost, noCosts);
    const [ledger, head] = await Promise.all([handle.ledger(), handle.head()]);
    return { ...ledger, children: children.length === 0 ? null : { count: children.length, cost }, head };
  }

  async #resume(): Promise<ResumeFacts> {
    const { handle, read } = this.#deps;
    const [prices, elsewhere] = await Promise.all([loadPrices(), handle.elsewhere(), read()]);
    const summary = handle.summary();
    return {
      ...this.#unrestored.all(),
      lastActivity: summary.updated_at,
      cold: coldStart(summary, prices),
      known: summary.executor_session_id !== undefined || summary.executor_session_ids.length > 0,
      elsewhere,
    };
  }
}
