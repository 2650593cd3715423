import path from 'node:path';
import { chainStart, hashOfLine, intactIn, linkOf } from './chain.ts';
import { parseRecordLine } from '../../formats/record.ts';
import { endMissing } from './endMissing.ts';
import { headFile, readHead, type Head } from './head.ts';
import { openUnpacked } from './packed.ts';
import { linesOf, windows } from './windows.ts';

const maxListed = 100;

/** Where the chain does not hold. Lines count from 1, as an editor shows them. */
export interface ChainBreak {
  /** `altered`: the line itself, or between it and the next one something was taken out. */
  readonly kind: 'altered' | 'inserted' | 'moved' | 'missing_before' | 'other_session';
  readonly line: number;
}

/** What checking a record found. */
export interface Verification {
  /** `unchained`: written by a version that kept no chain. */
  readonly verdict: 'intact' | 'altered' | 'truncated' | 'unchained';
  readonly lines: number;
  /** The line after which a writer that went on found the end missing; `null` where none did. */
  readonly cutAfter: number | null;
  /** The first line that is held by the chain; `null` where none is. */
  readonly chainedFrom: number | null;
  /** The first 100. */
  readonly breaks: readonly ChainBreak[];
  /** Lines of which parts cannot be read, as crashes leave them; the chain goes on past them. The first 100. */
  readonly damaged: readonly number[];
  /** Hash of the last line. */
  readonly head: string | null;
  /** What was kept beside the record when it was last made durable, and the line that it names; `null`: it is not there. */
  readonly kept: (Head & { readonly line: number | null }) | null;
  /** Of the hashes that were asked for, those that no line has. */
  readonly missing: readonly string[];
}

interface Item {
  readonly line: number;
  readonly hash: string;
  /** What it says of the one before it. */
  readonly link: string | null;
  /** A writer says that lines before it are missing. */
  readonly afterCut: boolean;
}

interface Expected {
  /** Hashes of lines that must be there. */
  readonly named?: readonly string[];
  /** Whose record it must be. */
  readonly session?: string;
}

/** Reads the whole record once. What is appended meanwhile is not looked at. @throws file system errors */
export async function verifyRecord(file: string, { named = [], session }: Expected = {}): Promise<Verification> {
  // Before the record: it must not name a line that is appended while this reads.
  const head = await readHead(headFile(path.dirname(file)));
  const { items, damaged, foreign, header } = await itemsOf(file);
  const chainedFrom = items.find(({ link }) => link !== null)?.line ?? null;
  const isOther = session !== undefined && header !== null && header !== session;
  const breaks = [
    ...(isOther ? [{ kind: 'other_session', line: 1 } as const] : []),
    ...breaksOf(items),
    ...foreign.map((line) => ({ kind: 'inserted', line }) as const),
  ].sort((a, b) => a.line - b.line);
  const cut = items.findIndex(({ afterCut }) => afterCut);
  const cutAfter = cut < 0 ? null : (items[cut - 1]?.line ?? 0);
  const kept = head === null ? null : { ...head, line: items.findLast(({ hash }) => hash === head.hash)?.line ?? null };
  const verdict =
    breaks.length > 0
      ? 'altered'
      : kept?.line === null || cutAfter !== null
        ? 'truncated'
        : chainedFrom === null && items.length > 0
          ? 'unchained'
          : 'intact';
  return {
    verdict,
    lines: items.at(-1)?.line ?? 0,
    cutAfter,
    chainedFrom,
    breaks: breaks.slice(0, maxListed),
    damaged: damaged.slice(0, maxListed),
    head: items.at(-1)?.hash ?? null,
    kept,
    missing: named.filter((each) => !items.some(({ hash }) => hash === each)),
  };
}

function breaksOf(items: readonly Item[]): ChainBreak[] {
  const places = new Map(items.map(({ hash }, place) => [hash, place]));
  const breaks: ChainBreak[] = [];
  let chained = false;
  for (const [place, { line, link }] of items.entries()) {
    const before = items[place - 1];
    if (link === null) {
      // Lines of an older version come before the chain, none within it.
      if (chained) breaks.push({ kind: 'inserted', line });
      continue;
    }
    const first = !chained;
    chained = true;
    if (link === (before?.hash ?? chainStart)) continue;
    if (first && before !== undefined && link === chainStart) breaks.push({ kind: 'inserted', line: before.line });
    else if (before === undefined) breaks.push({ kind: 'missing_before', line });
    else {
      const named = link === chainStart ? -1 : places.get(link);
      if (named === undefined) breaks.push({ kind: 'altered', line: before.line });
      else if (named < place - 1) breaks.push({ kind: 'inserted', line: items[named + 1]?.line ?? line });
      else breaks.push({ kind: 'moved', line });
    }
  }
  return breaks;
}

interface Found {
  readonly items: Item[];
  readonly damaged: number[];
  /** Lines with text that no writer leaves, not even one that crashes. */
  readonly foreign: number[];
  /** The session that the first line names. */
  header: string | null;
}

async function itemsOf(file: string): Promise<Found> {
  const result: Found = { items: [], damaged: [], foreign: [], header: null };
  const { items, damaged, foreign } = result;
  const handle = await openUnpacked(file);
  try {
    const { size } = await handle.stat();
    let line = 0;
    for await (const { buffer, tooLong } of windows(handle, 0, size)) {
      if (tooLong !== null) {
        line += 1;
        damaged.push(line);
        continue;
      }
      for (const { start, end } of linesOf(buffer)) {
        line += 1;
        if (start === end) continue;
        const bytes = buffer.subarray(start, end);
        const found = intactIn(bytes);
        const rests: Buffer[] = [];
        let from = 0;
        for (const each of found) {
          const object = bytes.subarray(each.start, each.end);
          if (items.length === 0) result.header = sessionOf(object);
          items.push({ line, hash: hashOfLine(object), link: linkOf(object), afterCut: isAfterCut(object) });
          rests.push(bytes.subarray(from, each.start));
          from = each.end;
        }
        rests.push(bytes.subarray(from));
        if (!rests.every(isTorn)) foreign.push(line);
        else if (found.length !== 1 || rests.some(({ length }) => length > 0)) damaged.push(line);
      }
    }
  } finally {
    await handle.close();
  }
  return result;
}

const lineStart = '{"kind":"';

/** What a crash leaves of a line: its beginning, or blocks that were never written. A writer begins a new line behind it. */
function isTorn(rest: Buffer): boolean {
  const text = rest.subarray(0, lineStart.length).toString('latin1');
  return rest.includes(0) || text.startsWith(lineStart) || lineStart.startsWith(text);
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
