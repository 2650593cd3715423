import type { Database } from './database.ts';

/** Characters per commit. Each commit creates an index segment that has to be merged later. */
const maxCharacters = 8 << 20;

/** Collects changes of several sessions and writes them in one transaction. */
export class WriteBatch {
  readonly #database: Database;
  #work: (() => void)[] = [];
  #characters = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Queues `work` and commits the batch when it is large enough. @throws SQLite errors; the batch is rolled back */
  add(characters: number, work: () => void): void {
    this.#work.push(work);
    this.#characters += characters;
    if (this.#characters >= maxCharacters) this.flush();
  }

  /** @throws as `add` */
  flush(): void {
    const work = this.#work;
    this.#work = [];
    this.#characters = 0;
    if (work.length === 0) return;
    this.#database.transaction(() => {
      for (const write of work) write();
    });
  }
}
