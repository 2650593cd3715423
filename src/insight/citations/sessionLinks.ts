import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { linksOf } from './links.ts';
import { SessionEvidence } from './sources/sessionEvidence.ts';
import { Sources, type Source } from './sources/sources.ts';
import type { EvidenceLink } from './types.ts';

/** A link with its footnote number; `at` is its position among the links of its entry. */
export interface NumberedLink {
  readonly at: number;
  readonly number: number;
  readonly link: EvidenceLink;
}

/** Links per message, so that footnotes stay readable. */
const maxPerEntry = 400;
/** Candidates per link, best first. */
const maxCandidatesKept = 5;
/** Links in memory; the oldest messages lose theirs first. */
const maxLinks = 20_000;

/**
 * Links of all messages of a session. Add entries in index order, and again when they change. Links are created when a
 * message is complete: later steps are not evidence for it.
 */
export class SessionLinks {
  readonly #evidence: SessionEvidence;
  readonly #sources = new Sources();
  readonly #linksByEntry = new Map<number, readonly NumberedLink[]>();
  #savedLinkCount = 0;

  constructor(workDir: string) {
    this.#evidence = new SessionEvidence(workDir);
  }

  /** `open`: its text may still grow. */
  add(entry: NormalizedEntry, open: boolean): void {
    this.#evidence.add(entry);
    if (open || entry.type.kind !== 'assistant_message') return;
    const links = linksOf(entry, this.#evidence).slice(0, maxPerEntry);
    this.#drop(entry.index);
    const numbers = this.#sources.add(entry.index, links);
    if (links.length === 0) return;
    const numbered = links.flatMap((link, at): NumberedLink[] => {
      const number = numbers[at];
      return number === undefined ? [] : [{ at, number, link: limitCandidates(link) }];
    });
    this.#linksByEntry.set(entry.index, numbered);
    this.#savedLinkCount += numbered.length;
    this.#forget();
  }

  linksOf(index: number): readonly NumberedLink[] {
    return this.#linksByEntry.get(index) ?? [];
  }

  sources(): readonly Source[] {
    return this.#sources.all();
  }

  #drop(index: number): void {
    this.#savedLinkCount -= this.#linksByEntry.get(index)?.length ?? 0;
    this.#linksByEntry.delete(index);
  }

  #forget(): void {
    for (const index of this.#linksByEntry.keys()) {
      if (this.#savedLinkCount <= maxLinks) return;
      this.#drop(index);
    }
  }
}

function limitCandidates(link: EvidenceLink): EvidenceLink {
  return link.candidates.length <= maxCandidatesKept
    ? link
    : { ...link, candidates: link.candidates.slice(0, maxCandidatesKept) };
}
