import type { SessionHandle } from '../engine/windowEngine.ts';
import { uncachedResumeCost } from '../../insight/session/uncachedResumeCost.ts';
import { addCost, noCosts } from '../../insight/ledger/money.ts';
import { descendantsOf } from '../../insight/session/descendants.ts';
import { MessageFigures } from '../../insight/ledger/messageFigures.ts';
import { loadPrices } from '../../insight/prices/prices.ts';
import { PlanLimits } from '../../insight/session/planLimits.ts';
import { UnrestoredCount } from '../../insight/session/unrestored.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { FigureAnswer, FigureRequest, LedgerCard, ResumeFacts } from '../../protocol/panel/figureMessages.ts';
import type { ViewContext } from './sessionView.ts';
import type { StepIndex } from './stepIndex.ts';
import type { SessionRow } from '../sessions/sessionRow.ts';
import { ownPrices } from '../settings/settings.ts';

export interface FiguresDeps {
  readonly handle: SessionHandle;
  /** All known sessions. */
  readonly sessions: () => Iterable<SessionRow>;
  /** Whether the agent's conversation is on this machine. */
  readonly checkResume: () => Promise<ResumeFacts['here']>;
  /** Days until the agent deletes its file; `undefined`: not soon, or unknown. */
  readonly daysToDeletion: () => number | undefined;
  /** Calls `add` for every entry. */
  readonly steps: () => Pick<StepIndex, 'count' | 'counted'>;
}

/** Figures for a page: cost, time, resume. */
export class SessionFigures {
  readonly #deps: FiguresDeps;
  readonly #unrestored = new UnrestoredCount();
  readonly #limits = new PlanLimits();
  #figures: { readonly state: string; readonly known: MessageFigures } | undefined;

  constructor(deps: FiguresDeps) {
    this.#deps = deps;
  }

  around(followUpAt: string | undefined): ViewContext {
    return { followUpAt, daysToDeletion: this.#deps.daysToDeletion() };
  }

  /** Call for every entry, and again when it changes. */
  add(entry: NormalizedEntry): void {
    const { handle } = this.#deps;
    if (entry.type.kind === 'user_message' && handle.turns().some(({ firstIndex }) => firstIndex === entry.index)) {
      this.#unrestored.nextRun();
    }
    this.#unrestored.add(entry);
    this.#limits.add(entry);
  }

  async answer(message: FigureRequest): Promise<FigureAnswer> {
    const { request } = message;
    switch (message.type) {
      case 'getLedger':
        return { type: 'ledger', request, ledger: await this.#ledgerCard() };
      case 'getResume':
        return { type: 'resume', request, resume: await this.#resume() };
      case 'getMessageFigures': {
        const { handle } = this.#deps;
        const known = await this.#readMessageFigures();
        const turns = handle.turns();
        const figures = message.indexes.map((index) => ({ index, figure: known.figureOf(index, turns) }));
        return { type: 'messageFigures', request, figures };
      }
    }
  }

  /** Cached for ended runs. */
  async #readMessageFigures(): Promise<MessageFigures> {
    const { handle } = this.#deps;
    const { runs, status, model, updated_at: at } = handle.summary();
    const state = `${runs} ${status} ${at}`;
    if (this.#figures?.state === state) return this.#figures.known;
    const [messages, prices] = await Promise.all([handle.messages(), loadPrices(ownPrices())]);
    const known = new MessageFigures(messages, prices, model);
    this.#figures = handle.isLive() ? undefined : { state, known };
    return known;
  }

  async #ledgerCard(): Promise<LedgerCard> {
    const { handle, sessions, steps } = this.#deps;
    const children = descendantsOf(sessions(), handle.id).filter(({ recording }) => !recording);
    const cost = children.map((row) => row.total_cost).reduce(addCost, noCosts);
    const [ledger, head] = await Promise.all([handle.ledger(), handle.headHash()]);
    const card = { ...ledger, children: children.length === 0 ? null : { count: children.length, cost }, head };
    // In a long session, the newest limits are read last, so wait until all entries are read.
    return steps().counted >= handle.entryCount() ? { ...card, planLimits: this.#limits.at(Date.now()) } : card;
  }

  async #resume(): Promise<ResumeFacts> {
    const { handle, steps, checkResume } = this.#deps;
    const [prices, resumeCheck] = await Promise.all([loadPrices(ownPrices()), checkResume(), steps().count()]);
    const summary = handle.summary();
    return {
      ...this.#unrestored.all(),
      lastActivity: summary.updated_at,
      cold: uncachedResumeCost(summary, prices),
      known: summary.executor_session_id !== undefined || summary.executor_session_ids.length > 0,
      here: resumeCheck,
    };
  }
}
