import { readFile } from 'node:fs/promises';
import type { SessionNote, StoreFormat, StoreRecord } from '../../agents/stores/storeFormat.ts';
import type { SplitLine } from '../output/lineSplitter.ts';
import { databaseRecords } from './databases.ts';
import { linesOf, readBytes } from './files.ts';
import type { PlacedFile, SessionFiles } from './groups.ts';

/** Maximum size of a document. */
const maxDocument = 8 << 20;
/** Maximum number of files read at the same time; further subagents come last. */
const maxMerged = 64;
const documentEnding = /\.(?:json|ya?ml|txt)$/i;

export function isDocument(format: StoreFormat, path: string): boolean {
  return format.isDocument?.(path) ?? documentEnding.test(path);
}

/** Returns the lines of a file in batches. */
export type ReadLines = (path: string) => AsyncGenerator<readonly SplitLine[]>;

/** All records of a session, file by file. */
export async function* recordsOf(
  { format, files }: SessionFiles,
  read: ReadLines = linesOf,
): AsyncGenerator<readonly StoreRecord[]> {
  for (const file of files) yield* recordsOfFile(format, file, read);
}

/** All records, with those of subagents merged by time. */
export async function* mergedRecords(
  { format, files }: SessionFiles,
  read: ReadLines = linesOf,
): AsyncGenerator<readonly StoreRecord[]> {
  for (const file of files) if (file.part.role === 'sidecar') yield* recordsOfFile(format, file, read);
  const rest = files.filter(({ part }) => part.role !== 'sidecar');
  if (rest.length === 1) {
    for (const file of rest) yield* recordsOfFile(format, file, read);
    return;
  }
  const [merged, later] = [rest.slice(0, maxMerged), rest.slice(maxMerged)];
  const queues = merged.map((file) => new Queue(recordsOfFile(format, file, read)));
  try {
    for (;;) {
      let next: Queue | undefined;
      for (const queue of queues) {
        if (await queue.isEmpty()) continue;
        if (next === undefined || queue.time < next.time) next = queue;
      }
      const record = next?.take();
      if (record === undefined) break;
      yield [record];
    }
  } finally {
    for (const queue of queues) await queue.close();
  }
  for (const file of later) yield* recordsOfFile(format, file, read);
}

/** Content of a store's shared files. */
export async function readNotes(format: StoreFormat, shared: readonly PlacedFile[]): Promise<Map<string, SessionNote>> {
  const notes = new Map<string, SessionNote>();
  if (format.notes === undefined) return notes;
  for (const file of shared) {
    try {
      for await (const records of recordsOfFile(format, file, linesOf)) {
        for (const note of records.flatMap((record) => format.notes?.(record) ?? [])) {
          notes.set(note.key, { ...notes.get(note.key), ...note });
        }
      }
    } catch {
      // An unreadable title counts as missing.
    }
  }
  return notes;
}

/** `read` is used for files with one record per line. */
export async function* recordsOfFile(
  format: StoreFormat,
  file: PlacedFile,
  read: ReadLines,
): AsyncGenerator<readonly StoreRecord[]> {
  const { part, path, database } = file;
  if (database !== undefined) yield* databaseRecords(format, file, database);
  else if (!isDocument(format, path)) {
    for await (const lines of read(path)) yield lines.map((line) => lineRecord(line, file));
  } else if (file.size > maxDocument) {
    const head = (await readBytes(path, 0, 1024)).toString('utf8');
    yield [{ kind: 'oversize', part, path, bytes: file.size, head }];
  } else yield [{ kind: 'document', part, path, text: await readFile(path, 'utf8') }];
}

export function lineRecord(line: SplitLine, { part, path }: PlacedFile): StoreRecord {
  return 'text' in line
    ? { kind: 'line', part, path, text: line.text }
    : { kind: 'oversize', part, path, ...line.oversize };
}

/** Records of one file, with the time of the next one. */
class Queue {
  readonly #source: AsyncGenerator<readonly StoreRecord[]>;
  #records: readonly StoreRecord[] = [];
  #at = 0;
  #ended = false;
  /** Never decreases: records without a time take that of the previous one. */
  time = 0;

  constructor(source: AsyncGenerator<readonly StoreRecord[]>) {
    this.#source = source;
  }

  async isEmpty(): Promise<boolean> {
    while (this.#at >= this.#records.length && !this.#ended) {
      const next = await this.#source.next();
      this.#ended = next.done === true;
      this.#records = next.done === true ? [] : next.value;
      this.#at = 0;
      this.#see();
    }
    return this.#at >= this.#records.length;
  }

  take(): StoreRecord | undefined {
    const record = this.#records[this.#at];
    this.#at += 1;
    this.#see();
    return record;
  }

  async close(): Promise<void> {
    await this.#source.return(undefined);
  }

  #see(): void {
    const record = this.#records[this.#at];
    if (record?.kind !== 'line') return;
    const [, at] = /"timestamp":"(\d{4}-[^"]{6,30})"/.exec(record.text) ?? [];
    const time = at === undefined ? Number.NaN : Date.parse(at);
    if (time > this.time) this.time = time;
  }
}
