import type { RunFacts } from '../../model/usage/facts.ts';
import { estimateOf, type FiguresContext } from './runFigures.ts';
import type { SessionState } from '../sessions/sessionState.ts';

/** Update interval in ms: frequent enough to watch. */
const intervalMs = 300;
const longestIntervalMs = 3000;
/** Maximum share of the time for it: a run has thousands of messages. */
const share = 0.01;

export interface LiveFiguresDeps {
  readonly state: SessionState;
  readonly monotonic: () => number;
  readonly facts: () => RunFacts;
  readonly context: () => FiguresContext;
  readonly measure: (facts: RunFacts) => void;
}

/** Cost of a run so far, computed at most every 300 ms while it prints, and more rarely if it takes long. */
export class LiveFigures {
  readonly #deps: LiveFiguresDeps;
  /** Earliest time of the next update. */
  #nextUpdateAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: LiveFiguresDeps) {
    this.#deps = deps;
  }

  update(): void {
    this.#timer ??= setTimeout(() => this.#make(), Math.max(0, this.#nextUpdateAt - this.#deps.monotonic()));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #make(): void {
    const { state, monotonic, measure } = this.#deps;
    this.#timer = undefined;
    const started = monotonic();
    const facts = this.#deps.facts();
    measure(facts);
    const { change, ...models } = estimateOf(facts, this.#deps.context());
    state.models = models;
    state.messages = facts.messages;
    state.change({ ...change, entries: state.total });
    void state.learnIds(facts.sessionIds);
    const now = monotonic();
    this.#nextUpdateAt = now + Math.min(longestIntervalMs, Math.max(intervalMs, (now - started) / share));
  }
}
