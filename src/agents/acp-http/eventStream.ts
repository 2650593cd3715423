import { createParser } from 'eventsource-parser';
import type { EntryUpdate } from '../../model/transcript/entry.ts';
import type { ExitInfo, RunFacts } from '../../model/usage/facts.ts';
import type { Normalizer, OutputLine } from '../../model/transcript/normalizer.ts';

/** Characters per event. */
const maxEvent = 8 << 20;
const headLength = 1024;

export type EventLine = { readonly text: string } | Extract<OutputLine, { oversize: unknown }>;

/**
 * Turns lines of an event stream into the data of its events, one line each. A line that is not a field of an event stream is
 * passed on unchanged, so that files with one JSON text per line can be read too.
 */
export class EventStream {
  #readyLines: EventLine[] = [];
  readonly #parser = createParser({
    maxBufferSize: maxEvent,
    // In JSON, a line break can only occur between tokens.
    onEvent: ({ data }) => this.#readyLines.push({ text: data.replaceAll(/[\r\n]+/g, ' ') }),
    onError: ({ type, line }) => {
      if (type !== 'max-buffer-size-exceeded') this.#readyLines.push({ text: line ?? '' });
    },
  });
  /** The lines waiting for the end of their event: their total length, and their beginning. */
  #pendingEvent = { length: 0, head: '' };

  /** `line` without its line end. */
  push(line: string): readonly EventLine[] {
    // No field of an event stream begins like this; the line may be long.
    if (line.startsWith('{')) return [{ text: line }];
    const wasTooLong = this.#isTooLong;
    if (line === '') {
      const { length, head } = this.#pendingEvent;
      this.#pendingEvent = { length: 0, head: '' };
      if (wasTooLong) return [{ stream: 'stdout', oversize: { bytes: length, head } }];
    } else if (line.startsWith('data')) {
      this.#pendingEvent.length += line.length;
      if (this.#pendingEvent.head.length < headLength) this.#pendingEvent.head += line.slice(0, headLength);
      if (this.#isTooLong) {
        this.#parser.reset();
        return [];
      }
    }
    this.#parser.feed(`${line}\n`);
    return this.#takeLines();
  }

  /** The data of an incomplete event. */
  end(): readonly EventLine[] {
    return this.push('');
  }

  get #isTooLong(): boolean {
    return this.#pendingEvent.length > maxEvent;
  }

  #takeLines(): readonly EventLine[] {
    const ready = this.#readyLines;
    this.#readyLines = [];
    return ready;
  }
}

/** Reads bytes from a server: the normalizer gets the data of each event. */
export class EventStreamNormalizer implements Normalizer {
  readonly #events = new EventStream();
  readonly #normalizer: Normalizer;
  #lines = 0;

  constructor(inner: Normalizer) {
    this.#normalizer = inner;
  }

  push(line: OutputLine, at: number): readonly EntryUpdate[] {
    if (line.stream !== 'stdout') return this.#normalizer.push(line, at);
    if ('oversize' in line) {
      this.#lines += 1;
      return this.#normalizer.push(line, at);
    }
    if (line.text.trim() !== '') this.#lines += 1;
    return this.#emitLines(this.#events.push(line.text), at);
  }

  end(exit: ExitInfo, at: number): readonly EntryUpdate[] {
    const updates = this.#emitLines(this.#events.end(), at);
    return [...updates, ...this.#normalizer.end(exit, at)];
  }

  facts(): RunFacts {
    const facts = this.#normalizer.facts();
    // Not copied, because some members are getters.
    return Object.assign(facts, { lines: { ...facts.lines, total: this.#lines } });
  }

  #emitLines(lines: readonly EventLine[], at: number): readonly EntryUpdate[] {
    return lines.flatMap((line) =>
      this.#normalizer.push('text' in line ? { stream: 'stdout', text: line.text } : line, at),
    );
  }
}
