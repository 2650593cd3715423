import type { FileHandle } from 'node:fs/promises';
import type { NormalizedEntry } from '../../model/entry.ts';
import type { FindResult } from './contract.ts';
import type { EntryOffsets, Span } from './offsets.ts';
import { readLine } from './readLine.ts';
import { readSpans } from './spans.ts';

const batchEntries = 1024;
const batchBytes = 1024 * 1024;

/** What JSON never writes in another way: a line without it as bytes does not hold it as text. */
const plain = /^[A-Za-z0-9 _.,:;!?@#$%&*()[\]{}<>=+|~^`'-]*$/;

export interface FindRequest {
  readonly query: string;
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

/** Looks through the lines of all entries in index order, a MiB at a time. @throws the reason of the signal */
export async function findEntries(
  handle: FileHandle,
  offsets: EntryOffsets,
  request: FindRequest,
): Promise<FindResult> {
  const needle = request.query.toLowerCase();
  if (needle === '') return { indexes: [], truncated: false };
  const indexes: number[] = [];
  for (let from = 0; from < offsets.size;) {
    request.signal?.throwIfAborted();
    const { spans, to } = batch(offsets, from);
    const hits: number[] = [];
    for await (const { line, offset } of readSpans(handle, spans)) {
      const index = matchIn(line, offset, needle);
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

function matchIn(line: Buffer, offset: number, needle: string): number | null {
  if (plain.test(needle) && !line.toString('utf8').toLowerCase().includes(needle)) return null;
  for (const { line: parsed } of readLine(line, offset).found) {
    if (parsed?.kind === 'entry' && contains(parsed.entry, needle)) return parsed.entry.index;
  }
  return null;
}

/** Whether the entry shows the text, whatever its case. `needle` is in lower case. */
export function contains(entry: NormalizedEntry, needle: string): boolean {
  const { type } = entry;
  const shown: unknown[] = [entry.content];
  if (type.kind === 'thinking') shown.push(type.reasoning);
  if (type.kind === 'error') shown.push(type.error);
  if (type.kind === 'tool_use') shown.push(type.tool.toolName, type.tool.action, type.tool.input, type.tool.result);
  return shown.some((value) => holds(value, needle));
}

function holds(value: unknown, needle: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(needle);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((each) => holds(each, needle));
}
