import { type FileComparison, type FilesLine, maxSince } from '../../../src/protocol/panel/viewMessages.ts';
import type { ViewDeps } from '../view.ts';

/** Which files on disk have changed since the session; requested as their rows arrive. */
export class FileComparisons {
  readonly #deps: ViewDeps;
  readonly #comparisons = new Map<string, FileComparison>();
  readonly #requestedPaths = new Set<string>();
  #generation = 0;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
  }

  comparisonOf(path: string): FileComparison | undefined {
    return this.#comparisons.get(path);
  }

  /** Files known to have changed; `undefined` until all `files` were checked. */
  count(files: number): number | undefined {
    if (this.#comparisons.size < files) return undefined;
    return [...this.#comparisons.values()].filter(isChangedSince).length;
  }

  /** The known state may be out of date; it is shown until the new answer arrives. */
  renew(): void {
    this.#generation += 1;
    this.#requestedPaths.clear();
  }

  async requestComparisons(lines: readonly FilesLine[]): Promise<void> {
    const generation = this.#generation;
    const paths = lines.flatMap((line) =>
      line.type === 'file' && !this.#requestedPaths.has(line.path) ? [line.path] : [],
    );
    for (const path of paths) this.#requestedPaths.add(path);
    for (let from = 0; from < paths.length; from += maxSince) {
      const some = paths.slice(from, from + maxSince);
      const answer = await this.#deps.request((request) => ({ type: 'getSince', request, paths: some }));
      if (generation !== this.#generation || answer.type !== 'since') return;
      for (const [at, path] of some.entries()) {
        const since = answer.since[at];
        if (since !== undefined) this.#comparisons.set(path, since);
      }
      this.#deps.changed();
    }
  }
}

export function isChangedSince(since: FileComparison | undefined): boolean {
  return since?.state === 'changed' || since?.state === 'gone';
}
