import type { EntryUpdate } from '../model/entry.ts';
import type { ExitInfo, RunFacts } from '../model/facts.ts';
import type { Normalizer, OutputLine, SideStream } from '../model/normalizer.ts';
import { LineSplitter, type LineOut } from './lines.ts';

type Stream = 'stdout' | 'stderr';

/** Bytes of one run's output into updates: live, and again from the raw log. */
export class RunOutput {
  readonly #normalizer: Normalizer;
  readonly #splitters: Readonly<Record<Stream, LineSplitter>>;
  /** Bytes so far, by stream. */
  readonly bytes: Record<Stream, number> = { stdout: 0, stderr: 0 };

  constructor(normalizer: Normalizer, lineCap?: number) {
    this.#normalizer = normalizer;
    this.#splitters = { stdout: new LineSplitter(lineCap), stderr: new LineSplitter(lineCap) };
  }

  /** `at`: arrival in epoch milliseconds. */
  push(stream: Stream, data: Uint8Array, at: number): EntryUpdate[] {
    this.bytes[stream] += data.length;
    return this.#lines(stream, this.#splitters[stream].push(data), at);
  }

  /** What the agent wrote beside its output. */
  aside(stream: SideStream, text: string, at: number): readonly EntryUpdate[] {
    return this.#normalizer.push({ stream, text }, at);
  }

  /** The lines that have no end. Nothing of its output comes after them. */
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

  #lines(stream: Stream, lines: readonly LineOut[], at: number): EntryUpdate[] {
    const updates: EntryUpdate[] = [];
    for (const line of lines) {
      const output: OutputLine = 'text' in line ? { stream, text: line.text } : { stream, oversize: line.oversize };
      for (const update of this.#normalizer.push(output, at)) updates.push(update);
    }
    return updates;
  }
}
