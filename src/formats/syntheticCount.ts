import type { SyntheticCounts } from '../model/session/summary.ts';

/** Maximum number of runs that may still change. */
const maxRuns = 1000;
const none: SyntheticCounts = { messages: 0, runs: 0, turns: 0 };

/** Counts the runs with an automatic prompt, by their marks. */
export class SyntheticCount {
  readonly #runs = new Map<string, { readonly isOver: boolean; readonly turns: number }>();
  /** Counts of earlier runs. */
  #earlierRuns = none;
  /** Counts that the newest summary includes, too. */
  #summarizedCounts = none;

  /** `isReported`: the newest summary includes the run. Turns count after the run has ended. */
  run(id: string, { isReported, isOver }: { readonly isReported: boolean; readonly isOver: boolean }): void {
    const known = this.#runs.get(id);
    this.#runs.set(id, { isOver, turns: known?.turns ?? 0 });
    if (isReported && known === undefined)
      this.#summarizedCounts = sum(this.#summarizedCounts, { messages: 1, runs: 1, turns: 0 });
    const [oldest] = this.#runs;
    if (oldest === undefined || this.#runs.size <= maxRuns) return;
    this.#runs.delete(oldest[0]);
    this.#earlierRuns = sum(this.#earlierRuns, { messages: 1, runs: 1, turns: oldest[1].turns });
  }

  result(id: string, turns: number): void {
    const known = this.#runs.get(id);
    if (known !== undefined) this.#runs.set(id, { ...known, turns });
  }

  saveSummary(): void {
    this.#summarizedCounts = this.#countAll();
  }

  /** Combined with the counts of a summary, unless they are unreliable. Absent: none. */
  counts(reported: SyntheticCounts | undefined, isTrusted: boolean): SyntheticCounts | undefined {
    const all = isTrusted ? sum(reported ?? none, sum(this.#countAll(), this.#summarizedCounts, -1)) : this.#countAll();
    return Object.values(all).some((count) => count > 0) ? all : undefined;
  }

  #countAll(): SyntheticCounts {
    const { size } = this.#runs;
    const over = [...this.#runs.values()].filter(({ isOver }) => isOver);
    const turns = over.reduce((all, run) => all + run.turns, 0);
    return sum(this.#earlierRuns, { messages: size, runs: size, turns });
  }
}

function sum(a: SyntheticCounts, b: SyntheticCounts, sign: 1 | -1 = 1): SyntheticCounts {
  return { messages: a.messages + sign * b.messages, runs: a.runs + sign * b.runs, turns: a.turns + sign * b.turns };
}
