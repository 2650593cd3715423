import type { RecordProblem } from '../contract.ts';
import type { Damage } from './readLine.ts';

const maxProblems = 1000;

/** Damage by position, without duplicates, limited to 1,000. */
export class Problems {
  readonly #problemByOffset = new Map<number, RecordProblem>();

  add(damage: Damage, afterIndex: number | null): void {
    const known = this.#problemByOffset.get(damage.offset);
    if (known === undefined && this.#problemByOffset.size >= maxProblems) return;
    this.#problemByOffset.set(damage.offset, { ...damage, afterIndex: afterIndex ?? known?.afterIndex ?? null });
  }

  /** Problems in file order. */
  list(): RecordProblem[] {
    return [...this.#problemByOffset.values()].sort((a, b) => a.offset - b.offset);
  }
}
