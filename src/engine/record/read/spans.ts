import type { FileHandle } from 'node:fs/promises';
import type { Span } from './offsets.ts';
import { readAt } from './windows.ts';

const maxGap = 64 * 1024;
const maxRead = 1024 * 1024;

export interface SpanBytes extends Span {
  readonly line: Buffer;
}

/** Bytes of these spans in file order. Spans close to each other share one read. */
export async function* readSpans(handle: FileHandle, spans: readonly Span[]): AsyncGenerator<SpanBytes> {
  const ordered = [...spans].sort((a, b) => a.offset - b.offset);
  for (let first = 0; first < ordered.length;) {
    const start = ordered[first]?.offset ?? 0;
    let end = start;
    let next = first;
    for (let span = ordered[next]; span !== undefined; span = ordered[next]) {
      const joins = span.offset - end <= maxGap && span.offset + span.bytes - start <= maxRead;
      if (next > first && !joins) break;
      end = Math.max(end, span.offset + span.bytes);
      next += 1;
    }
    const buffer = await readAt(handle, start, end - start);
    for (const span of ordered.slice(first, next)) {
      yield { ...span, line: buffer.subarray(span.offset - start, span.offset - start + span.bytes) };
    }
    first = next;
  }
}
