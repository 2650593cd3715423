import path from 'node:path';
import { chainStart } from './hashChain.ts';
import { walkChain, type ChainBreak } from './chainBreaks.ts';
import { chainedLines, type ChainedLines } from './chainedLines.ts';
import { headFile, readHead, type Head } from './chainHead.ts';
import { settledLease } from '../write/writerLease.ts';

const maxListed = 100;

/** Result of verifying a record. */
export interface Verification {
  /** `unchained`: written by a version without a hash chain. `truncated` also if no line can be read. */
  readonly verdict: 'intact' | 'altered' | 'truncated' | 'unchained';
  readonly lines: number;
  /** Line after which a writer noted a missing end; `null` if there is none. */
  readonly cutAfter: number | null;
  /** First line of the chain; `null` if there is none. */
  readonly chainedFrom: number | null;
  /** The first 100. */
  readonly breaks: readonly ChainBreak[];
  /** Partly unreadable lines, as left by crashes, which the chain skips. The first 100. */
  readonly damaged: readonly number[];
  /** Hash of the last line. */
  readonly head: string | null;
  /** Saved head of the record, with the line it refers to; `null` if it is missing. */
  readonly kept: (Head & { readonly line: number | null }) | null;
  /** Requested hashes that no line has. */
  readonly missing: readonly string[];
}

interface Expected {
  /** Hashes of lines that must exist. */
  readonly requiredHashes?: readonly string[];
  /** Expected session id. */
  readonly session?: string;
}

/** Reads the whole record once, without lines that are appended meanwhile. @throws file system errors */
export async function verifyRecord(
  file: string,
  { requiredHashes = [], session }: Expected = {},
): Promise<Verification> {
  const folder = path.dirname(file);
  const lease = await settledLease(folder).catch(() => null);
  // Read before the record: otherwise it could refer to a line that is appended during the check.
  const head = await readHead(headFile(folder));
  const found = await chainedLines(file);
  const isSettled = lease !== null && lease === (await settledLease(folder).catch(() => null));
  const { items, header, archive } = found;
  const { reported, kept: saved, isEndLost } = chainOf(found, head, isSettled);
  const chainedFrom = items.find(({ link }) => link !== null)?.line ?? null;
  const isOther = session !== undefined && header !== null && header !== session;
  const alteredLines = new Set(reported.flatMap(({ kind, line }) => (kind === 'altered' ? [line] : [])));
  const breaks = [
    ...(isOther ? [{ kind: 'other_session', line: 1 } as const] : []),
    ...reported,
    ...found.foreignLines
      .filter((line) => !alteredLines.has(line))
      .map((line) => ({ kind: 'inserted', line }) as const),
  ].sort((a, b) => a.line - b.line);
  const cut = items.findIndex(({ isAfterCut }) => isAfterCut);
  const cutAfter = cut < 0 ? null : (items[cut - 1]?.line ?? 0);
  const isCut = isEndLost || cutAfter !== null;
  // If lines are cut off, the end differs anyway.
  if (breaks.length === 0 && !isCut && archive !== null) breaks.push(archive);
  return {
    verdict:
      breaks.length > 0
        ? 'altered'
        : isCut || items.length === 0
          ? 'truncated'
          : chainedFrom === null
            ? 'unchained'
            : 'intact',
    lines: items.at(-1)?.line ?? 0,
    cutAfter,
    chainedFrom,
    breaks: breaks.slice(0, maxListed),
    damaged: found.damaged.filter((line) => !alteredLines.has(line)).slice(0, maxListed),
    head: items.at(-1)?.hash ?? null,
    kept: head === null ? null : { ...head, line: saved },
    missing: requiredHashes.filter((name) => !items.some(({ hash }) => hash === name)),
  };
}

interface ChainState {
  readonly reported: ChainBreak[];
  /** Line that the head refers to. */
  readonly kept: number | null;
  /** The line of the head is missing, and no other line replaced it. */
  readonly isEndLost: boolean;
}

/** `isSettled`: the head refers to the last line. Otherwise, a crash may have left lines after it. */
function chainOf({ items, lastGap }: ChainedLines, head: Head | null, isSettled: boolean): ChainState {
  const { breaks, members } = walkChain(items, head?.hash ?? null);
  const reported = new Map(breaks.map((chainBreak) => [chainBreak.line, chainBreak]));
  const isChained = items.some(({ link }) => link !== null);
  if (head === null) return { reported: [...reported.values()], kept: null, isEndLost: isSettled && isChained };
  const member = members.findLast((place) => items[place]?.hash === head.hash);
  const saved = items[member ?? items.findLastIndex(({ hash }) => hash === head.hash)];
  if (member !== undefined && isSettled) {
    for (const { line } of items.slice(member + 1))
      if (!reported.has(line)) reported.set(line, { kind: 'inserted', line });
  }
  const changed = saved === undefined ? lineAfter(head.prev, { items, lastGap }) : null;
  if (changed !== null && !reported.has(changed)) reported.set(changed, { kind: 'altered', line: changed });
  return {
    reported: [...reported.values()],
    kept: saved?.line ?? null,
    isEndLost: saved === undefined && changed === null,
  };
}

/** The line after the one with this hash; `null` if there is none, or a writer noted that it is missing. */
function lineAfter(
  hash: string | undefined,
  { items, lastGap }: Pick<ChainedLines, 'items' | 'lastGap'>,
): number | null {
  const place = hash === undefined ? -1 : items.findLastIndex((item) => item.hash === hash);
  if (place < 0) return hash === chainStart ? (items[0]?.line ?? null) : null;
  const next = items[place + 1];
  if (next === undefined) return lastGap;
  return next.isAfterCut ? null : next.line;
}
