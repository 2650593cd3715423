import { nonEmpty } from './wire.ts';
import type { Line } from './line.ts';

const maxLines = 256;
const maxCharacters = 1024 * 1024;

/** The last messages by `uuid`: a line that is printed again, letter by letter, says nothing new. */
export class Replays {
  readonly #lines = new Map<string, string>();
  #characters = 0;

  /** Whether this very line came before; remembers it. */
  has(line: Line): boolean {
    const uuid = nonEmpty(line.message['uuid']);
    const shown = line.verbatim;
    if (uuid === undefined || shown === undefined || shown.length > maxCharacters) return false;
    const before = this.#lines.get(uuid);
    if (before === shown) return true;
    this.#characters += shown.length - (before?.length ?? 0);
    this.#lines.delete(uuid);
    this.#lines.set(uuid, shown);
    for (const [old, kept] of this.#lines) {
      if (this.#lines.size <= maxLines && this.#characters <= maxCharacters) break;
      this.#lines.delete(old);
      this.#characters -= kept.length;
    }
    return false;
  }
}
