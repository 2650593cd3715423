import type { MessageFigure, MissingFigure } from '../../src/model/usage/messageFigure.ts';
import { maxMessages } from '../../src/protocol/panel/figureMessages.ts';
import type { FromPage, SessionView, ToPage } from '../../src/protocol/panel/messages.ts';
import type { List } from '../list/list.ts';
import type { Store } from '../store/store.ts';

/** Cached figures; beyond that, figures out of sight are requested again. */
const maxCachedFigures = 2000;
/** Milliseconds between two requests, because entries may arrive very fast. */
const pause = 500;

interface Deps {
  readonly store: Store;
  readonly request: (message: (request: number) => FromPage) => Promise<ToPage>;
  readonly changed: () => void;
}

/** Usage of responses, requested when they become visible. */
export class MessageFigures {
  readonly #deps: Deps;
  readonly #figuresByEntry = new Map<number, MessageFigure | MissingFigure>();
  /** Known, but to be requested again. */
  readonly #staleEntries = new Set<number>();
  #isRequesting = false;
  #state = '';
  /** The agent reported nothing for single responses so far. */
  isUnreported = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  figureOf(index: number): MessageFigure | MissingFigure {
    return this.#figuresByEntry.get(index) ?? 'not_yet';
  }

  /** Unknown and temporary figures may have changed. */
  update({ turns, summary }: SessionView): void {
    const state = `${turns.length} ${turns.at(-1)?.status} ${JSON.stringify(summary.total_usage)}`;
    if (state === this.#state) return;
    this.#state = state;
    for (const [index, figure] of this.#figuresByEntry) {
      if (typeof figure === 'string' || !figure.settled) this.#staleEntries.add(index);
    }
  }

  look(list: List): void {
    if (this.#isRequesting) return;
    const { store } = this.#deps;
    const indexes: number[] = [];
    for (const { index: at } of list.items()) {
      const row = list.row(at);
      if (row?.kind !== 'entry' || indexes.at(-1) === row.index) continue;
      if (this.#figuresByEntry.has(row.index) && !this.#staleEntries.has(row.index)) continue;
      const kind = store.entry(row.index)?.type.kind;
      // A response may consist of a single call.
      const canHave = kind === 'assistant_message' || kind === 'tool_use';
      if (canHave && !store.isOpen(row.index) && indexes.length < maxMessages) indexes.push(row.index);
    }
    if (indexes.length > 0) void this.#ask(indexes, list);
  }

  async #ask(indexes: readonly number[], list: List): Promise<void> {
    this.#isRequesting = true;
    for (const index of indexes) this.#staleEntries.delete(index);
    const answer = await this.#deps.request((request) => ({ type: 'getMessageFigures', request, indexes }));
    if (this.#figuresByEntry.size > maxCachedFigures) this.#figuresByEntry.clear();
    const reported = answer.type === 'messageFigures' ? answer.figures : [];
    const isNews = reported.some(
      ({ index, figure }) => JSON.stringify(figure) !== JSON.stringify(this.figureOf(index)),
    );
    // A failed request is not repeated with every drawing.
    for (const index of indexes) this.#figuresByEntry.set(index, this.figureOf(index));
    for (const { index, figure } of reported) this.#figuresByEntry.set(index, figure);
    this.isUnreported = [...this.#figuresByEntry.values()].every((figure) => figure === 'not_per_message');
    if (isNews) this.#deps.changed();
    setTimeout(() => {
      this.#isRequesting = false;
      this.look(list);
    }, pause);
  }
}
