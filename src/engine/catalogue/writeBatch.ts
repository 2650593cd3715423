import type { Database } from './database.ts';

/** Characters of text that are written together: each commit of the full-text index makes a part of it that is merged later. */
const maxCharacters = 2 << 20;

/** Changes of several sessions that are written in one transaction. */
export class WriteBatch {
  readonly #database: Database;
  #work: (() => void)[] = [];
  #characters = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Writes what waits once there is enough of it. @throws as SQLite does; then nothing of it was written */
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
      for (const each of work) each();
    });
  }
}
