import type { NormalizedRun } from '../../shared/normalizer/normalizedRun.ts';

/** Characters of a running command's output that are shown; its end has all of it. */
const maxShown = 16 * 1024;

/** Output of running commands so far. */
export class RunningOutput {
  readonly #run: NormalizedRun;
  readonly #shownOutput = new Map<string, string>();

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  add(callId: string | undefined, delta: string): void {
    if (callId === undefined) return;
    const before = this.#shownOutput.get(callId) ?? '';
    if (before.length >= maxShown) return;
    const text = (before + delta).slice(0, maxShown);
    this.#shownOutput.set(callId, text);
    this.#run.calls.update({ id: callId, result: { text } });
  }

  forget(callId: string | undefined): void {
    if (callId !== undefined) this.#shownOutput.delete(callId);
  }
}
