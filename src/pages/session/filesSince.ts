import type { SessionFile } from '../../insight/files/files.ts';
import { FileHistory } from '../../insight/files/history.ts';
import { compareWithDisk } from '../../insight/files/diskComparison.ts';
import type { FileComparison } from '../../protocol/panel/viewMessages.ts';
import type { ViewIndex, ViewSource } from './viewIndex.ts';

/** Maximum number of steps per file; the state of files with more is unknown. */
const maxSteps = 2000;
const maxHistories = 100;

/** Whether files are still as the session left them. Caches expected texts until the session changes them. */
export class FilesSince {
  readonly #source: ViewSource;
  readonly #index: ViewIndex;
  readonly #histories = new Map<string, { readonly last: number; readonly history: FileHistory }>();

  constructor(source: ViewSource, index: ViewIndex) {
    this.#source = source;
    this.#index = index;
  }

  /** In the order of `paths`, as named in the file list. */
  async compareFiles(paths: readonly string[]): Promise<FileComparison[]> {
    const all: FileComparison[] = [];
    for (const path of paths) all.push(await this.#compareFile(path));
    return all;
  }

  async #compareFile(path: string): Promise<FileComparison> {
    const file = this.#index.files.get(path);
    const now = await this.#source.fileNow?.(path);
    if (file === undefined || now === undefined || file.steps.length > maxSteps) return { state: 'unknown', at: null };
    return { state: compareWithDisk(await this.#historyOf(file), now.text), at: now.changedAt };
  }

  async #historyOf(file: SessionFile): Promise<FileHistory> {
    const last = file.last.entryIndex;
    const saved = this.#histories.get(file.path);
    if (saved?.last === last) return saved.history;
    const history = new FileHistory(file.path, this.#source.summary().project_dir ?? '');
    for (const index of file.steps) for (const entry of await this.#source.read(index, index + 1)) history.add(entry);
    this.#histories.set(file.path, { last, history });
    const [oldest] = this.#histories.keys();
    if (this.#histories.size > maxHistories && oldest !== undefined) this.#histories.delete(oldest);
    return history;
  }
}
