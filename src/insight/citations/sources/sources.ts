import type { EvidenceLink } from '../types.ts';
import { normalUrl } from './urls.ts';

/** One source of a session, however often it is cited. */
export interface Source {
  /** Footnote number, from 1, in order of first citation. */
  readonly number: number;
  readonly key: string;
  /** The first link to it, which has its details. */
  readonly link: EvidenceLink;
  /** Entries that cite it, and the total number of citations. */
  readonly entries: readonly number[];
  readonly cited: number;
}

/** Sources in memory; further links have no number. */
const maxSources = 10_000;

interface NumberedSource {
  readonly number: number;
  readonly link: EvidenceLink;
  /** Number of citations by entry. */
  readonly times: Map<number, number>;
}

/**
 * Footnote numbers and the list of sources of a session. Add the links of each message in order, and again when they change.
 */
export class Sources {
  readonly #sourceByKey = new Map<string, NumberedSource>();
  readonly #sourcesByEntry = new Map<number, readonly NumberedSource[]>();

  /** The number of each link's source, in the order of `links`; `undefined` beyond the limit. */
  add(entryIndex: number, links: readonly EvidenceLink[]): (number | undefined)[] {
    for (const earlier of this.#sourcesByEntry.get(entryIndex) ?? []) earlier.times.delete(entryIndex);
    const known = links.map((link) => this.#findOrAddSource(link));
    for (const source of known) source?.times.set(entryIndex, (source.times.get(entryIndex) ?? 0) + 1);
    this.#sourcesByEntry.set(
      entryIndex,
      known.filter((source) => source !== undefined),
    );
    return known.map((source) => source?.number);
  }

  #findOrAddSource(link: EvidenceLink): NumberedSource | undefined {
    const key = keyOf(link);
    const known = this.#sourceByKey.get(key);
    if (known !== undefined || this.#sourceByKey.size >= maxSources) return known;
    const created: NumberedSource = { number: this.#sourceByKey.size + 1, link, times: new Map() };
    this.#sourceByKey.set(key, created);
    return created;
  }

  /** The sources that are currently cited. */
  all(): readonly Source[] {
    return [...this.#sourceByKey].flatMap(([key, { number, link, times }]): Source[] =>
      times.size === 0
        ? []
        : [{ number, key, link, entries: [...times.keys()], cited: [...times.values()].reduce((a, b) => a + b, 0) }],
    );
  }
}

/** Equal for links to the same thing: a URL, a step with its lines, or something that was not found. */
function keyOf(link: EvidenceLink): string {
  const { status, given, source, kind, path, lines, url, claim } = link;
  if (status === 'given')
    return `given ${given === undefined || given.url === null ? `${given?.title ?? ''}\n${given?.description ?? ''}` : normalUrl(given.url)}`;
  const at = lines === undefined ? '' : `:${lines.join('-')}`;
  if (status === 'found') return `found ${source?.entryIndex ?? ''} ${source?.path ?? url ?? ''}${at}`;
  return `${kind} ${url ?? path ?? claim.toLowerCase()}${at}`;
}
