import type { FileHandle } from 'node:fs/promises';
import { matchesOperators } from '../../../insight/search/facts.ts';
import { isEmptyQuery, parseQuery, type Query } from '../../../insight/search/query.ts';
import type { FindResult } from '../contract.ts';
import type { EntryOffsets, Span } from './offsets.ts';
import { readLine } from './readLine.ts';
import { readSpans } from './spans.ts';

const batchEntries = 1024;
const batchBytes = 1024 * 1024;

/** Characters that JSON never escapes: a line without these bytes cannot contain the text. */
const plain = /^[A-Za-z0-9 _.,:;!?@#$%&*()[\]{}<>=+|~^`'-]*$/;

export interface FindRequest {
  /** As typed by the user. */
  readonly query: string;
  readonly limit: number;
  /** Index of the first entry to search. */
  readonly from: number;
  readonly signal: AbortSignal | undefined;
}

/** Searches the lines of all entries in index order, 1 MiB at a time. @throws the signal's abort reason */
export async function findEntries(
  handle: FileHandle,
  offsets: EntryOffsets,
  request: FindRequest,
): Promise<FindResult> {
  const { query } = parseQuery(request.query);
  if (isEmptyQuery(query)) return { indexes: [], truncated: false };
  const needles = [...query.texts, ...(query.tools.length === 1 ? query.tools : [])].filter((needle) =>
    plain.test(needle),
  );
  const indexes: number[] = [];
  for (let { from } = request; from < offsets.size;) {
    request.signal?.throwIfAborted();
    const { spans, to } = batch(offsets, from);
    const hits: number[] = [];
    for await (const { line, offset } of readSpans(handle, spans)) {
      const index = matchIn(line, offset, query, needles);
      if (index !== null) hits.push(index);
    }
    indexes.push(...hits.sort((a, b) => a - b));
    if (indexes.length > request.limit) return { indexes: indexes.slice(0, request.limit), truncated: true };
    from = to;
  }
  return { indexes, truncated: false };
}

function batch(offsets: EntryOffsets, from: number): { spans: Span[]; to: number } {
  const spans: Span[] = [];
  let bytes = 0;
  let to = from;
  for (; to < offsets.size && spans.length < batchEntries && bytes < batchBytes; to += 1) {
    const span = offsets.get(to);
    if (span === null) continue;
    spans.push(span);
    bytes += span.bytes;
  }
  return { spans, to };
}

/** `needles`: byte sequences that the line must contain. */
function matchIn(line: Buffer, offset: number, query: Query, needles: readonly string[]): number | null {
  if (needles.length > 0) {
    const text = line.toString('utf8').toLowerCase();
    if (!needles.every((needle) => text.includes(needle))) return null;
  }
  for (const { line: parsed } of readLine(line, offset).found) {
    if (parsed?.kind === 'entry' && matchesOperators(parsed.entry, query)) return parsed.entry.index;
  }
  return null;
}
