import { nonEmpty } from '../../shared/guards.ts';
import type { Line } from '../line.ts';

/** Per generation; two generations are kept. */
const maxLines = 32;
const maxCharacters = 512 * 1024;

/** The last messages by `uuid`: an identical line that is printed again adds nothing. */
export class Replays {
  #lines = new Map<string, string>();
  #olderLines = new Map<string, string>();
  #characters = 0;

  /** Whether this exact line came before; remembers it. */
  has(line: Line): boolean {
    const uuid = nonEmpty(line.message['uuid']);
    const shown = line.verbatim;
    if (uuid === undefined || shown === undefined || shown.length > maxCharacters) return false;
    if (this.#lines.get(uuid) === shown || this.#olderLines.get(uuid) === shown) return true;
    if (this.#lines.size >= maxLines || this.#characters > maxCharacters) {
      this.#olderLines = this.#lines;
      this.#lines = new Map();
      this.#characters = 0;
    }
    this.#characters += shown.length;
    this.#lines.set(uuid, shown);
    return false;
  }
}
