import type { RunFacts } from '../../model/usage/facts.ts';
import { estimateOf, type FiguresContext } from './runFigures.ts';
import type { SessionState } from '../sessions/sessionState.ts';

/** Update interval in ms: frequent enough to watch, and cheap. */
const intervalMs = 300;

export interface LiveFiguresDeps {
  readonly state: SessionState;
  readonly monotonic: () => number;
  readonly facts: () => RunFacts;
  readonly context: () => FiguresContext;
  readonly measure: (facts: RunFacts) => void;
}

/** Cost of a run so far, computed at most every 300 ms while it prints. */
export class LiveFigures {
  readonly #deps: LiveFiguresDeps;
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: LiveFiguresDeps) {
    this.#deps = deps;
  }

  update(): void {
    this.#timer ??= setTimeout(() => this.#make(), Math.max(0, this.#last + intervalMs - this.#deps.monotonic()));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #make(): void {
    const { state, monotonic, measure } = this.#deps;
    this.#timer = undefined;
    this.#last = monotonic();
    const facts = this.#deps.facts();
    measure(facts);
    const { change, ...models } = estimateOf(facts, this.#deps.context());
    state.models = models;
    state.messages = facts.messages;
    state.change({ ...change, entries: state.total });
    void state.learnIds(facts.sessionIds);
  }
}
