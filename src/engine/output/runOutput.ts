import type { EntryUpdate } from '../../model/transcript/entry.ts';
import type { ExitInfo, RunFacts } from '../../model/usage/facts.ts';
import type { Normalizer, OutputLine, SideStream } from '../../model/transcript/normalizer.ts';
import { LineSplitter, type SplitLine } from './lineSplitter.ts';

type Stream = 'stdout' | 'stderr' | 'client';

/** Gets the agent's stdout lines after the normalizer. */
export interface Stdout {
  handleLine(text: string): void;
  /** Gets the beginning of an oversized line. */
  handleOversizeLine(head: string): void;
}

/** Client lines contain the agent's request, up to twice, JSON-encoded. */
const clientLineCap = 64 << 20;

export interface RunOutputOptions {
  /** Maximum bytes of a line that is read. */
  readonly lineCap?: number;
  readonly stdout?: Stdout;
}

/** Turns the bytes of a run's output into updates, live or from the raw log. */
export class RunOutput {
  readonly #normalizer: Normalizer;
  readonly #stdout: Stdout | undefined;
  readonly #splitters: Readonly<Record<Stream, LineSplitter>>;
  /** Bytes so far, per stream. */
  readonly bytes: Record<Stream, number> = { stdout: 0, stderr: 0, client: 0 };

  constructor(normalizer: Normalizer, { lineCap, stdout }: RunOutputOptions = {}) {
    this.#normalizer = normalizer;
    this.#stdout = stdout;
    this.#splitters = {
      stdout: new LineSplitter(lineCap),
      stderr: new LineSplitter(lineCap),
      client: new LineSplitter(clientLineCap),
    };
  }

  /** `at`: time of arrival in epoch milliseconds. */
  push(stream: Stream, data: Uint8Array, at: number): EntryUpdate[] {
    this.bytes[stream] += data.length;
    return this.#lines(stream, this.#splitters[stream].push(data), at);
  }

  /** Text that the agent wrote to side files. */
  sideLine(stream: SideStream, text: string, at: number): readonly EntryUpdate[] {
    return this.#normalizer.push({ stream, text }, at);
  }

  /** Handles the last lines without line end, when the output has ended. */
  flush(at: number): EntryUpdate[] {
    return [
      ...this.#lines('stdout', this.#splitters.stdout.end(), at),
      ...this.#lines('stderr', this.#splitters.stderr.end(), at),
    ];
  }

  end(exit: ExitInfo, at: number): EntryUpdate[] {
    return [...this.flush(at), ...this.#normalizer.end(exit, at)];
  }

  facts(): RunFacts {
    return this.#normalizer.facts();
  }

  #lines(stream: Stream, lines: readonly SplitLine[], at: number): EntryUpdate[] {
    const updates: EntryUpdate[] = [];
    for (const line of lines) {
      const output = lineOf(stream, line);
      if (output === null) continue;
      for (const update of this.#normalizer.push(output, at)) updates.push(update);
      if (stream !== 'stdout') continue;
      if ('text' in line) this.#stdout?.handleLine(line.text);
      else this.#stdout?.handleOversizeLine(line.oversize.head);
    }
    return updates;
  }
}

function lineOf(stream: Stream, line: SplitLine): OutputLine | null {
  if ('text' in line) return { stream, text: line.text };
  return stream === 'client' ? null : { stream, oversize: line.oversize };
}
