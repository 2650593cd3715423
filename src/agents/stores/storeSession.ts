import type { EntryUpdate, Origin } from '../../model/transcript/entry.ts';
import { isObject, type JsonObject } from '../../model/text/json.ts';
import type { NormalizedEntryMetadata } from '../../model/transcript/metadata.ts';
import type { StoreFacts } from '../../model/session/observed.ts';
import { parse, unknownLine } from '../shared/normalizer/lineLog.ts';
import { NormalizedRun } from '../shared/normalizer/normalizedRun.ts';
import type { StoreParser, StoreParserOptions, StoreRecord } from './storeFormat.ts';
import { FactsBuilder } from './factsBuilder.ts';

/** Reads the records of one kind of store, and writes to its session. */
export interface RecordReader {
  /** One record: a line or document as JSON, or a row. `false`: of an unknown kind. */
  read(value: JsonObject | readonly unknown[], record: StoreRecord, raw: string): boolean;
  /** No more records for now. Called before calls without a result are closed. */
  end?(isLive: boolean): void;
  /** Adds facts that depend on all records; called before they are read. */
  settle?(): void;
}

const unknownTime = '1970-01-01T00:00:00.000Z';
const maxRaw = 100_000;

/** The entries and facts of one session, for the readers of stores. */
export class StoreSession {
  readonly facts = new FactsBuilder();
  readonly options: StoreParserOptions;
  #run: NormalizedRun | undefined;
  #folder: string | undefined;
  #now = unknownTime;

  constructor(options: StoreParserOptions) {
    this.options = options;
    this.facts.id(options.session);
  }

  /** Created with the first entry, because paths are relative to the folder known by then. */
  get run(): NormalizedRun {
    if (this.#run === undefined) {
      this.#run = new NormalizedRun({ workDir: this.#folder ?? '', firstIndex: 0 });
      this.#run.session.setId(this.options.session);
    }
    return this.#run;
  }

  /** The agent's current folder; `undefined`: unknown. */
  get folder(): string | undefined {
    return this.#folder;
  }

  setFolder(folder: string | undefined): void {
    if (folder === undefined || folder === '') return;
    this.#folder = folder;
    this.facts.folder(folder);
  }

  /** Time of the current record, ISO 8601: its own, else that of the record before it. */
  get now(): string {
    return this.#now;
  }

  /** Sets the time of a record and what follows: ISO 8601, or epoch milliseconds. */
  addTime(own: unknown): string {
    const at = timeOf(own);
    if (at !== undefined) {
      this.#now = at;
      this.facts.time(at);
    }
    return this.#now;
  }

  /** Updates since the last time. */
  take(): readonly EntryUpdate[] {
    return this.#run?.writer.take() ?? [];
  }

  model(model: string | undefined): void {
    this.facts.model(model);
    this.run.session.setModel(model);
  }

  metadata(extra?: JsonObject): NormalizedEntryMetadata | undefined {
    const known = this.run.session.metadata();
    return extra === undefined ? known : { ...known, ...extra };
  }

  /** A message of a person, or of another sender. */
  userMessage(text: string, origin: Origin, extra?: JsonObject): void {
    this.run.texts.close();
    const type = { kind: 'user_message' } as const;
    this.run.writer.add({ type, content: text, timestamp: this.#now, metadata: this.metadata(extra), origin });
  }

  addText(kind: 'text' | 'thinking', text: string, extra?: JsonObject): void {
    if (text !== '') this.run.texts.add(kind, text, this.#now, this.metadata(extra));
  }

  unknown(content: string, raw: string): void {
    this.facts.records.unknown += 1;
    this.run.lines.addUnknown(content, raw.slice(0, maxRaw), this.#now);
  }
}

/** The common part of reading these stores: damaged and unknown records, and unanswered calls. */
export class RecordParser implements StoreParser {
  readonly #session: StoreSession;
  readonly #reader: RecordReader;

  constructor(options: StoreParserOptions, makeReader: (session: StoreSession) => RecordReader) {
    this.#session = new StoreSession(options);
    this.#reader = makeReader(this.#session);
  }

  push(record: StoreRecord): readonly EntryUpdate[] {
    const { facts } = this.#session;
    if (record.kind !== 'line' || record.text.trim() !== '') facts.records.total += 1;
    try {
      this.#push(record);
    } catch (error) {
      facts.records.malformed += 1;
      const raw = rawOf(record).slice(0, maxRaw);
      this.#session.run.lines.logFailure(error, { stream: 'stdout', text: raw }, this.#session.now);
    }
    return this.#takeUpdates();
  }

  end(isLive: boolean): readonly EntryUpdate[] {
    const { run, now } = this.#session;
    this.#reader.end?.(isLive);
    if (!isLive) run.calls.end('No result: the agent ended before the tool returned.', now);
    return this.#takeUpdates();
  }

  facts(): StoreFacts {
    this.#reader.settle?.();
    return this.#session.facts.facts();
  }

  #push(record: StoreRecord): void {
    const { now, facts } = this.#session;
    if (record.kind === 'oversize') {
      facts.records.malformed += 1;
      this.#session.run.lines.addOversize({ bytes: record.bytes, head: record.head }, now);
      return;
    }
    const raw = rawOf(record);
    if (record.kind === 'line' && raw.trim() === '') return;
    const value = record.kind === 'row' ? record.row : parse(raw);
    if (!isObject(value) && !isList(value)) {
      facts.records.malformed += 1;
      this.#session.run.lines.addMalformed(raw.slice(0, maxRaw), now);
    } else if (!this.#reader.read(value, record, raw)) {
      this.#session.unknown(isObject(value) ? unknownLine(value) : 'Unknown list', raw);
    }
  }

  /** Entries are always created, but returned only if wanted. */
  #takeUpdates(): readonly EntryUpdate[] {
    const updates = this.#session.take();
    return this.#session.options.needsEntries ? updates : [];
  }
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function rawOf(record: StoreRecord): string {
  if (record.kind === 'row') return JSON.stringify(record.row);
  return record.kind === 'oversize' ? record.head : record.text;
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** ISO 8601 from a text or epoch milliseconds. */
export function timeOf(own: unknown): string | undefined {
  if (typeof own === 'string') return isoTime.test(own) && !Number.isNaN(Date.parse(own)) ? own : undefined;
  if (typeof own !== 'number' || !(own > 0 && own <= 8.64e15)) return undefined;
  return new Date(own).toISOString();
}
