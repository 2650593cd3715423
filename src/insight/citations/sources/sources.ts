import type { EvidenceLink } from '../types.ts';
import { normalUrl } from './urls.ts';

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

interface Known {
  readonly number: number;
  readonly link: EvidenceLink;
  /** How often each entry cites it. */
  readonly times: Map<number, number>;
}

/** Numbers of footnotes, and the list of sources of a session. Takes the links of each message in order; again when they changed. */
export class Sources {
  readonly #byKey = new Map<string, Known>();
  readonly #byEntry = new Map<number, readonly Known[]>();

  /** The number of each link's source, in the order of `links`; `undefined` beyond the bound. */
  add(entryIndex: number, links: readonly EvidenceLink[]): (number | undefined)[] {
    for (const earlier of this.#byEntry.get(entryIndex) ?? []) earlier.times.delete(entryIndex);
    const known = links.map((link) => this.#source(link));
    for (const each of known) each?.times.set(entryIndex, (each.times.get(entryIndex) ?? 0) + 1);
    this.#byEntry.set(
      entryIndex,
      known.filter((each) => each !== undefined),
    );
    return known.map((each) => each?.number);
  }

  #source(link: EvidenceLink): Known | undefined {
    const key = keyOf(link);
    const known = this.#byKey.get(key);
    if (known !== undefined || this.#byKey.size >= maxSources) return known;
    const made: Known = { number: this.#byKey.size + 1, link, times: new Map() };
    this.#byKey.set(key, made);
    return made;
  }

  /** Those that are cited now. */
  all(): readonly Source[] {
    return [...this.#byKey].flatMap(([key, { number, link, times }]): Source[] =>
      times.size === 0
        ? []
        : [{ number, key, link, entries: [...times.keys()], cited: [...times.values()].reduce((a, b) => a + b, 0) }],
    );
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
