import type { FileHandle } from 'node:fs/promises';
import type { LineOf, RecordedRun, RecordedTurn, RecordLine } from '../../../formats/record.ts';
import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import { lastHash } from '../chain/hashChain.ts';
import type { FindOptions, FindResult, RawStream, RecordedResult, RecordProblem, RecordReader } from '../contract.ts';
import { RecordNotFoundError } from '../errors.ts';
import { findLeftoverFolder } from '../outputs.ts';
import { errorCode, rawFile, recordFile } from '../layout.ts';
import { follow, openRecord, type OpenRecord } from './openRecord.ts';
import { rawBytes, rawSize } from '../pack/packFile.ts';
import { damageOf, readLine, type LineReading } from './readLine.ts';
import { linesOf, windows } from './windows.ts';
import { hasWriter } from '../write/writerLease.ts';

export class FileRecordReader implements RecordReader {
  readonly id: string;
  readonly #folder: string;
  readonly #clock: () => number;
  #record: OpenRecord;
  /** Replaced files that may still be in use by readers. */
  readonly #replacedFiles: FileHandle[] = [];
  #isLive: boolean;
  #activeRefresh: Promise<boolean> | null = null;

  private constructor(id: string, folder: string, clock: () => number, record: OpenRecord, live: boolean) {
    this.id = id;
    this.#folder = folder;
    this.#clock = clock;
    this.#record = record;
    this.#isLive = live;
  }

  /** @throws RecordNotFoundError, file system errors */
  static async open(id: string, folder: string, clock: () => number): Promise<FileRecordReader> {
    try {
      const record = await openRecord(recordFile(folder), id);
      const reader = new FileRecordReader(id, folder, clock, record, await hasWriter(folder, clock));
      // The writer may have finished since the record was read.
      if (reader.interrupted) await reader.refresh();
      return reader;
    } catch (error) {
      throw errorCode(error) === 'ENOENT' ? new RecordNotFoundError(id, await findLeftoverFolder(folder)) : error;
    }
  }

  get summary(): SessionSummary {
    const summary = this.#record.state.summary(this.#record.modified);
    if (!this.interrupted) return summary;
    const outcome = this.#record.state.isRunOpen || this.#record.isTruncated ? 'interrupted' : summary.outcome;
    return { ...summary, status: 'stopped', outcome };
  }

  get turns(): readonly RecordedTurn[] {
    return this.#record.state.turns;
  }

  get turnsOmitted(): number {
    return this.#record.state.turnsOmitted;
  }

  get total(): number {
    return this.#record.state.entries;
  }

  get interrupted(): boolean {
    // Only finished records are packed.
    return !this.#isLive && (this.#record.state.isOpen || this.#record.isTruncated);
  }

  get newerVersion(): number | null {
    return this.#record.newerVersion;
  }

  get problems(): readonly RecordProblem[] {
    const known = this.#record.problems.list();
    // An incomplete line is normal while there is a writer.
    if (this.#isLive) return known;
    if (this.#record.size === 0) return [{ offset: 0, bytes: 0, reason: 'empty', head: '', afterIndex: null }];
    return [...known, ...this.#record.lastPartialLine.damage.map((damage) => ({ ...damage, afterIndex: null }))];
  }

  get unknownLines(): number {
    return this.#record.unknownLines;
  }

  async runs(): Promise<RecordedRun[]> {
    const runs = new Map<string, RecordedRun>();
    for (const line of await this.#linesOf('runs')) if (line.kind === 'run') runs.set(line.run.run_id, line.run);
    return [...runs.values()];
  }

  async results(): Promise<RecordedResult[]> {
    const results = new Map<string, RecordedResult>();
    for (const line of await this.#linesOf('runs')) {
      if (line.kind === 'result') results.set(line.run_id, { runId: line.run_id, metadata: line.result });
    }
    return [...results.values()];
  }

  async usage(): Promise<LineOf<'usage'>[]> {
    return (await this.#linesOf('usage')).filter((line) => line.kind === 'usage');
  }

  async lastRun(): Promise<RecordedRun | null> {
    return this.#record.state.lastRun ?? (await this.runs()).at(-1) ?? null;
  }

  async read(from: number, to: number): Promise<NormalizedEntry[]> {
    const { recent, entries, end } = this.#record;
    const found: NormalizedEntry[] = [];
    const missing: number[] = [];
    for (let index = Math.max(0, from); index < Math.min(to, this.total); index += 1) {
      const entry = recent.get(index);
      if (entry === undefined) missing.push(index);
      else found.push(entry);
    }
    if (missing.length > 0) found.push(...(await entries.read(missing, end, this.#isLive)));
    return found.sort((a, b) => a.index - b.index);
  }

  async find(query: string, limit: number, { from = 0, signal }: FindOptions = {}): Promise<FindResult> {
    return await this.#record.entries.find(this.#record.end, { query, limit, from, signal });
  }

  async changedSince(size: number): Promise<number[]> {
    return await this.#record.entries.changedSince(size, this.#record.end);
  }

  async *lines(): AsyncGenerator<RecordLine> {
    const { handle, end, lastPartialLine, problems } = this.#record;
    let after: number | null = null;
    const take = function* (reading: LineReading) {
      for (const damage of reading.damage) problems.add(damage, after);
      for (const { line } of reading.found) {
        if (line === null) continue;
        if (line.kind === 'entry') after = line.entry.index;
        yield line;
      }
    };
    for await (const { buffer, offset, oversizeLine } of windows(handle, 0, end)) {
      if (oversizeLine !== null) {
        problems.add({ ...damageOf(buffer, offset, 'too_long'), bytes: oversizeLine.bytes }, after);
        continue;
      }
      // The buffer is only reused after the consumer has asked for more.
      for (const { start, end: stop } of linesOf(buffer)) {
        yield* take(readLine(buffer.subarray(start, stop), offset + start));
      }
    }
    for (const { line } of lastPartialLine.found) if (line !== null) yield line;
  }

  async *raw(runId: string, stream: RawStream): AsyncGenerator<Buffer> {
    yield* (await rawBytes(rawFile(this.#folder, runId, stream))) ?? [];
  }

  rawSize(runId: string, stream: RawStream): Promise<number> {
    return rawSize(rawFile(this.#folder, runId, stream));
  }

  async head(): Promise<string | null> {
    return await lastHash(this.#record.path);
  }

  async refresh(): Promise<boolean> {
    this.#activeRefresh ??= this.#follow().finally(() => {
      this.#activeRefresh = null;
    });
    return await this.#activeRefresh;
  }

  async #follow(): Promise<boolean> {
    const wasLive = this.#isLive;
    this.#isLive = await hasWriter(this.#folder, this.#clock);
    let hasChanged = await this.#readAppended();
    while (this.interrupted) {
      this.#isLive = await hasWriter(this.#folder, this.#clock);
      // Lines that the last writer wrote shortly before it exited.
      if (!(await this.#readAppended())) break;
      hasChanged = true;
    }
    return hasChanged || wasLive !== this.#isLive;
  }

  async #readAppended(): Promise<boolean> {
    const change = await follow(this.#record);
    if (change === 'replaced') {
      const next = await openRecord(this.#record.path, this.id);
      this.#replacedFiles.push(this.#record.handle);
      this.#record = next;
      if (this.#replacedFiles.length > 2) await this.#replacedFiles.shift()?.close();
    }
    return change !== 'same';
  }

  async close(): Promise<void> {
    await Promise.all([this.#record.handle, ...this.#replacedFiles].map((handle) => handle.close()));
  }

  async #linesOf(which: 'runs' | 'usage'): Promise<RecordLine[]> {
    const { entries, end, lastPartialLine } = this.#record;
    const last = lastPartialLine.found.flatMap(({ line }) => (line === null ? [] : [line]));
    return [...(await entries.linesOf(which, end)), ...last];
  }
}
