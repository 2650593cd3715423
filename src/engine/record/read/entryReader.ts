import type { FileHandle } from 'node:fs/promises';
import type { RecordLine } from '../../../formats/record.ts';
import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { FindResult, RecordProblem } from '../contract.ts';
import { findEntries, type FindRequest } from './find.ts';
import type { Span } from './offsets.ts';
import type { Problems } from './problems.ts';
import { readLine } from './readLine.ts';
import { RecordIndex } from './recordIndex.ts';
import { readSpans } from './spans.ts';

/** Problems that leave the line usable. */
const usableReasons: ReadonlySet<RecordProblem['reason']> = new Set(['invalid_utf8', 'mistyped_metadata']);

/**
 * Reads lines of a record by its index. The first index is quick and only checks how lines begin and end. If a line
 * turns out to be damaged, the whole record is indexed carefully.
 */
export class EntryReader {
  readonly #handle: FileHandle;
  readonly #problems: Problems;
  #index: RecordIndex;
  /** Serializes passes over the file. */
  #lastPass: Promise<void> = Promise.resolve();

  constructor(handle: FileHandle, problems: Problems) {
    this.#handle = handle;
    this.#problems = problems;
    this.#index = new RecordIndex(problems, { isQuick: true });
  }

  /** Intact entries at these indexes. `end`: end of the last whole line. `isGrowing`: gaps may still be filled. */
  async read(indexes: readonly number[], end: number, isGrowing: boolean): Promise<NormalizedEntry[]> {
    const index = await this.#indexUpTo(end);
    const { entries, whole } = await this.#readEntries(index, indexes);
    const isComplete = whole && (isGrowing || entries.length === indexes.length);
    if (isComplete || !index.isQuick) return entries;
    return (await this.#readEntries(await this.#rebuildIndex(end), indexes)).entries;
  }

  /** Lines of runs and results, or of usage, in file order. */
  async linesOf(which: 'runs' | 'usage', end: number): Promise<RecordLine[]> {
    const index = await this.#indexUpTo(end);
    const { lines, isComplete } = await this.#readSpans(index[which]);
    if (isComplete || !index.isQuick) return lines;
    return (await this.#readSpans((await this.#rebuildIndex(end))[which])).lines;
  }

  async find(end: number, request: FindRequest): Promise<FindResult> {
    return await findEntries(this.#handle, (await this.#indexUpTo(end)).entries, request);
  }

  /** Indexes of entries that were added or rewritten since the file had that size, ascending. */
  async changedSince(size: number, end: number): Promise<number[]> {
    return (await this.#indexUpTo(end)).entries.changedSince(size);
  }

  async #indexUpTo(end: number): Promise<RecordIndex> {
    await this.#serialize(async () => {
      if (this.#index.end < end) await this.#index.extend(this.#handle, end);
    });
    return this.#index;
  }

  async #rebuildIndex(end: number): Promise<RecordIndex> {
    await this.#serialize(async () => {
      if (!this.#index.isQuick) return;
      const newIndex = new RecordIndex(this.#problems, { isQuick: false });
      await newIndex.extend(this.#handle, end);
      this.#index = newIndex;
    });
    return this.#index;
  }

  /** A failed read does not affect the next one. */
  #serialize(work: () => Promise<void>): Promise<void> {
    const job = this.#lastPass.then(work);
    this.#lastPass = job.catch(() => undefined);
    return job;
  }

  async #readEntries(index: RecordIndex, indexes: readonly number[]) {
    const spans = indexes.map((number) => index.entries.get(number)).filter((span) => span !== null);
    const { lines, isComplete } = await this.#readSpans(spans);
    const entries = lines.flatMap((line) => (line.kind === 'entry' ? [line.entry] : []));
    return { entries, whole: isComplete && entries.length === spans.length };
  }

  async #readSpans(spans: readonly Span[]): Promise<{ lines: RecordLine[]; isComplete: boolean }> {
    const lines: RecordLine[] = [];
    let isComplete = true;
    for await (const { line, offset } of readSpans(this.#handle, spans)) {
      const { found, damage } = readLine(line, offset);
      lines.push(...found.flatMap((foundLine) => (foundLine.line === null ? [] : [foundLine.line])));
      for (const problem of damage) if (problem.reason === 'mistyped_metadata') this.#problems.add(problem, null);
      if (damage.some(({ reason }) => !usableReasons.has(reason)) || found.length !== 1) isComplete = false;
    }
    return { lines, isComplete };
  }
}
