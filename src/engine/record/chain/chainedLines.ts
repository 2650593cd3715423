import path from 'node:path';
import { parseRecordLine } from '../../../formats/record.ts';
import { findWrongEnd } from '../pack/packedRecord.ts';
import { chainStart, hashIfLinked, hashOfLine, findIntactLines, linkOf } from './hashChain.ts';
import type { ChainBreak, ChainedLine } from './chainBreaks.ts';
import { endMissing } from './recordEnd.ts';
import { openUnpackedFile } from '../pack/packFile.ts';
import { linesOf, windows } from '../read/windows.ts';

const lineStart = '{"kind":"';
/** Disks write whole sectors. */
const sectorBytes = 512;

interface Item extends ChainedLine {
  /** A writer noted that lines before this one are missing. */
  readonly isAfterCut: boolean;
}

/** All lines of a record, as input for chain checks. Lines are 1-based. */
export interface ChainedLines {
  /** Intact lines, in file order. */
  readonly items: readonly Item[];
  /** Damaged lines, as left by crashes. */
  readonly damaged: readonly number[];
  /** Lines with text that no writer produces, not even one that crashes. */
  readonly foreignLines: readonly number[];
  /** First line after the last intact one; `null` if there is none, or only one that was cut off. */
  readonly lastGap: number | null;
  /** Session id in the first line. */
  readonly header: string | null;
  /** Inconsistency within a packed record, or with its copied end. */
  readonly archive: ChainBreak | null;
}

/** Reads the whole record. @throws file system errors */
export async function chainedLines(file: string): Promise<ChainedLines> {
  const { handle, isPacked, isDamaged } = await openUnpackedFile(file);
  try {
    const { size } = await handle.stat();
    const wrongEnd = isPacked ? await findWrongEnd(path.dirname(file), handle) : null;
    const found = new LineFinder(wrongEnd ?? size);
    for await (const { buffer, offset, oversizeLine } of windows(handle, 0, size)) {
      if (oversizeLine !== null) found.addTooLong();
      else for (const { start, end } of linesOf(buffer)) found.addLine(buffer.subarray(start, end), offset + start);
      found.hasLineEnd = oversizeLine === null && buffer.at(-1) === 10;
    }
    const archive: ChainBreak | null = isDamaged
      ? { kind: 'archive', line: found.line }
      : wrongEnd === null
        ? null
        : { kind: 'end_copy', line: found.requestedLine };
    const { items, damaged, foreignLines, lastGap, header } = found;
    return { items, damaged, foreignLines, lastGap, header, archive };
  } finally {
    await handle.close();
  }
}

class LineFinder {
  readonly items: Item[] = [];
  readonly damaged: number[] = [];
  readonly foreignLines: number[] = [];
  header: string | null = null;
  line = 0;
  /** The line at the requested offset. */
  requestedLine = 1;
  hasLineEnd = true;
  readonly #mark: number;
  #firstDamagedLine: number | null = null;
  #hasLinks = false;

  constructor(mark: number) {
    this.#mark = mark;
  }

  get lastGap(): number | null {
    return this.#firstDamagedLine === this.line && !this.hasLineEnd ? null : this.#firstDamagedLine;
  }

  addTooLong(): void {
    this.line += 1;
    this.damaged.push(this.line);
    this.#firstDamagedLine ??= this.line;
  }

  addLine(bytes: Buffer, offset: number): void {
    this.line += 1;
    if (offset <= this.#mark) this.requestedLine = this.line;
    const found = findIntactLines(bytes);
    let isTorn = true;
    let isWhole = found.length === 1;
    let from = 0;
    for (const { start, end } of [...found, { start: bytes.length, end: bytes.length }]) {
      const rest = bytes.subarray(from, start);
      if (rest.length > 0 || bytes.length === 0) this.#firstDamagedLine ??= this.line;
      isTorn &&= isTornText(rest, offset + from);
      isWhole &&= rest.length === 0;
      if (start < end) this.#put(bytes.subarray(start, end));
      from = end;
    }
    if (!isTorn) this.foreignLines.push(this.line);
    else if (!isWhole && bytes.length > 0) this.damaged.push(this.line);
  }

  #put(object: Buffer): void {
    if (this.items.length === 0) this.header = sessionOf(object);
    const link = linkOf(object);
    const before = this.items.at(-1)?.hash ?? chainStart;
    this.#hasLinks ||= link !== null;
    this.items.push({
      line: this.line,
      hash: hashOfLine(object),
      link,
      relinked: this.#hasLinks && link !== before ? hashIfLinked(object, before) : null,
      firstDamagedLine: this.#firstDamagedLine,
      isAfterCut: isAfterCut(object),
    });
    this.#firstDamagedLine = null;
  }
}

/**
 * Remains of a line after a crash: its beginning, or sectors that were never written. A writer continues on a new line.
 */
function isTornText(rest: Buffer, offset: number): boolean {
  for (let at = 0; at < rest.length;) {
    const nul = rest.indexOf(0, at);
    const end = nul < 0 ? rest.length : nul;
    const isBehindHole = at > 0 && (offset + at) % sectorBytes === 0;
    if (end > at && !isBehindHole && !startsLine(rest.subarray(at, end))) return false;
    at = end;
    while (at < rest.length && rest[at] === 0) at += 1;
  }
  return true;
}

function startsLine(piece: Buffer): boolean {
  const text = piece.subarray(0, lineStart.length).toString('latin1');
  return text.startsWith(lineStart) || lineStart.startsWith(text);
}

function isAfterCut(line: Buffer): boolean {
  if (!line.includes(endMissing)) return false;
  const { value } = parseRecordLine(line.toString('utf8'));
  return value?.kind === 'decision' && value.decision.type === endMissing;
}

function sessionOf(line: Buffer): string | null {
  const { value } = parseRecordLine(line.toString('utf8'));
  return value?.kind === 'header' ? value.session_id : null;
}
