import { chainStart } from './hashChain.ts';

/** A break in the hash chain. Lines are 1-based, as in an editor. */
export interface ChainBreak {
  /**
   * `altered`: the line was changed, or lines after it were removed. `archive`: the packed record is damaged beyond its
   * lines. `end_copy`: the copy of the packed record's end differs from there on.
   */
  readonly kind: 'altered' | 'inserted' | 'moved' | 'missing_before' | 'other_session' | 'archive' | 'end_copy';
  readonly line: number;
}

/** An intact line with its hashes. */
export interface ChainedLine {
  readonly line: number;
  readonly hash: string;
  /** Hash of the previous line, as stored in this line. */
  readonly link: string | null;
  /** This line's hash if it were linked to the line before it; `null` if it already is. */
  readonly relinked: string | null;
  /** First unreadable or damaged line between the previous intact line and this one. */
  readonly firstDamagedLine: number | null;
}

interface ChainWalkResult {
  readonly breaks: ChainBreak[];
  /** Line positions in chain order, ascending. */
  readonly members: readonly number[];
}

/** Follows the chain through all lines. `saved`: the hash of the last durable line. */
export function walkChain(lines: readonly ChainedLine[], saved: string | null): ChainWalkResult {
  const walk = new ChainWalk(lines, saved);
  for (const [place, line] of lines.entries()) walk.addLine(line, place);
  return walk;
}

class ChainWalk implements ChainWalkResult {
  readonly breaks: ChainBreak[] = [];
  readonly members: number[] = [];
  readonly #lines: readonly ChainedLine[];
  readonly #savedHash: string | null;
  /** First position of each hash. */
  readonly #positionByHash = new Map<string, number>();
  /** Last position that links to each hash. */
  readonly #lastLinkTo = new Map<string, number>();
  readonly #memberFlags: Uint8Array;
  /** Hash that the next line of the chain must link to. */
  #expectedHash = chainStart;
  #last = -1;
  /** Position where the chain continued after foreign lines. */
  #resumePosition = 0;
  /** Since the last member, a line was found that may replace the next one. */
  #mayReplaceNext = false;
  #isChained = false;

  constructor(lines: readonly ChainedLine[], saved: string | null) {
    this.#lines = lines;
    this.#savedHash = saved;
    this.#memberFlags = new Uint8Array(lines.length);
    for (const [place, { hash, link }] of lines.entries()) {
      if (!this.#positionByHash.has(hash)) this.#positionByHash.set(hash, place);
      if (link !== null) this.#lastLinkTo.set(link, place);
    }
  }

  addLine(line: ChainedLine, place: number): void {
    const { link, relinked } = line;
    // Lines of an older version precede the chain; there are none within it.
    if (link === null && !this.#isChained) return this.#join(place);
    const isFirst = !this.#isChained;
    this.#isChained = true;
    if (link === this.#expectedHash) return this.#join(place);
    if (isFirst && link === chainStart && place > 0) {
      this.#report('inserted', 0);
      return this.#join(place);
    }
    const isNext = this.#last === place - 1;
    // It continues after a foreign line, which was already reported.
    if (!isNext && link === this.#lines[place - 1]?.hash) return;
    if (isNext && relinked !== null && relinked === (this.#lines[place + 1]?.link ?? this.#savedHash)) {
      this.#report('altered', place);
      return this.#join(place, relinked);
    }
    if (this.#isLinkedAfter(this.#expectedHash, place)) return this.#reportStrayLine(line, place);
    if (link === null) return this.#reportUnlinked(place);
    const named = link === chainStart ? -1 : this.#positionByHash.get(link);
    if (named === undefined) this.#reportMissing(line, place);
    else if (named > place) this.#report('moved', place);
    else this.#reportFork(line, place, named);
  }

  #join(place: number, expected = this.#lines[place]?.hash ?? chainStart): void {
    if (this.#last !== place - 1) this.#resumePosition = place;
    this.#expectedHash = expected;
    this.#last = place;
    this.#mayReplaceNext = false;
    this.members.push(place);
    this.#memberFlags[place] = 1;
  }

  #report(kind: ChainBreak['kind'], place: number): void {
    this.breaks.push({ kind, line: this.#lines[place]?.line ?? 1 });
  }

  #insert(place: number): void {
    this.#report('inserted', place);
    this.#mayReplaceNext = true;
  }

  #isLinkedAfter(hash: string, place: number): boolean {
    return (this.#lastLinkTo.get(hash) ?? -1) > place;
  }

  /** The next line of the chain comes later; this line was moved or inserted before it. */
  #reportStrayLine({ link }: ChainedLine, place: number): void {
    const named = link === null ? -1 : (this.#positionByHash.get(link) ?? -1);
    const isOnly = link !== null && this.#lastLinkTo.get(link) === place;
    if (named > place && isOnly) this.#report('moved', place);
    else this.#insert(place);
  }

  #reportUnlinked(place: number): void {
    const isAtEnd = place === this.#lines.length - 1 && this.#savedHash === null;
    if (isAtEnd || this.#expectedHash === this.#savedHash) return this.#insert(place);
    this.#report('altered', place);
    this.#mayReplaceNext = true;
  }

  /** No line has the hash that this one links to. */
  #reportMissing({ line, firstDamagedLine }: ChainedLine, place: number): void {
    if (!this.#mayReplaceNext) {
      if (firstDamagedLine !== null) this.breaks.push({ kind: 'altered', line: firstDamagedLine });
      else if (this.#last < 0) this.breaks.push({ kind: 'missing_before', line });
      else if (this.#expectedHash === this.#savedHash) return this.#insert(place);
      else this.#report('altered', this.#last);
    }
    this.#join(place);
  }

  /** It links to an earlier line of the chain, or to a line outside it. */
  #reportFork({ hash }: ChainedLine, place: number, named: number): void {
    if (this.#positionByHash.get(hash) !== place) return this.#insert(place);
    if (named >= 0 && this.#memberFlags[named] === 0) {
      this.#report('moved', this.#resumePosition);
      return this.#join(place);
    }
    const saved = this.#savedHash === null ? undefined : this.#positionByHash.get(this.#savedHash);
    const isLonger = this.#lines.length - place > this.#last - named;
    if (saved === undefined ? !isLonger : saved < place) return this.#insert(place);
    this.#report('inserted', named + 1);
    while ((this.members.at(-1) ?? -1) > named) this.#memberFlags[this.members.pop() ?? 0] = 0;
    this.#join(place);
  }
}
