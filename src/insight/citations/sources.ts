import { normalUrl } from './outputs.ts';
import type { EvidenceLink } from './types.ts';

/** One source of a session, however often it is cited. */
export interface Source {
  /** The footnote's number, from 1, in the order in which sources were first cited. */
  readonly number: number;
  readonly key: string;
  /** The first link to it, which tells what it is. */
  readonly link: EvidenceLink;
  /** Entries that cite it, and how often in all. */
  readonly entries: readonly number[];
  readonly cited: number;
}

/** Sources in memory; links beyond them have no number. */
const maxSources = 10_000;

/** Numbers of footnotes, and the list of sources of a session. Takes the links of each message once, in order. */
export class Sources {
  readonly #byKey = new Map<string, Source>();

  /** The number of each link's source, in the order of `links`; `undefined` beyond the bound. */
  add(entryIndex: number, links: readonly EvidenceLink[]): (number | undefined)[] {
    return links.map((link) => {
      const key = keyOf(link);
      const known = this.#byKey.get(key);
      if (known === undefined) {
        if (this.#byKey.size >= maxSources) return undefined;
        const number = this.#byKey.size + 1;
        this.#byKey.set(key, { number, key, link, entries: [entryIndex], cited: 1 });
        return number;
      }
      const entries = known.entries.at(-1) === entryIndex ? known.entries : [...known.entries, entryIndex];
      this.#byKey.set(key, { ...known, entries, cited: known.cited + 1 });
      return known.number;
    });
  }

  all(): readonly Source[] {
    return [...this.#byKey.values()];
  }
}

/** The same for links to the same thing: an address, a step and its lines, or what was not found. */
function keyOf(link: EvidenceLink): string {
  const { status, given, source, kind, path, lines, url, claim } = link;
  if (status === 'given')
    return `given ${given === undefined || given.url === null ? `${given?.title ?? ''}\n${given?.description ?? ''}` : normalUrl(given.url)}`;
  const at = lines === undefined ? '' : `:${lines.join('-')}`;
  if (status === 'found') return `found ${source?.entryIndex ?? ''} ${source?.path ?? url ?? ''}${at}`;
  return `${kind} ${url ?? path ?? claim.toLowerCase()}${at}`;
}
