import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { Catalogue } from '../../src/engine/catalogue/catalogue.ts';
import { ChunkTexts, textBytesOf } from '../../src/engine/catalogue/chunkText.ts';
import type { Database } from '../../src/engine/catalogue/database.ts';
import { RecordStore } from '../../src/engine/record/recordStore.ts';
import type { News } from '../../src/protocol/daemon/calls.ts';
import type { DaemonConnection } from '../../src/client/connection.ts';
import { DaemonBench } from '../../test/support/daemon/bench.ts';
import { searchOf } from '../../test/support/sessions/searching.ts';
import { until } from '../../test/support/until.ts';
import { percentile, type Row, usedBy } from '../harness.ts';
import { processorTime } from '../daemon/processorTime.ts';
import { writeStores } from './stores.ts';

const quiet = (): void => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const indexingMs = 3 * 3_600_000;
/** Time after which a daemon without work has collected its garbage, in ms. */
const collectedMs = 12_000;

/**
 * A daemon that finds many sessions of another program: its first list, the index and its memory, a restart, and searches. Only on
 * request; `VITRINE_BENCH_SESSIONS` and `VITRINE_BENCH_HOME` (reused) change the default of 10,000 sessions in a temporary folder.
 */
export async function scale(): Promise<Row[]> {
  const sessions = Number(process.env['VITRINE_BENCH_SESSIONS'] ?? 10_000);
  const given = process.env['VITRINE_BENCH_HOME'];
  const home = given ?? (await mkdtemp(path.join(tmpdir(), 'vitrine-scale-')));
  const place = new DaemonBench();
  const rows: Row[] = [];
  const add = (name: string, value: number, unit: Row['unit'], goal: number, detail: string): void => {
    rows.push({ name: `scale: ${name}`, value, unit, goal, detail });
    console.log(`scale: ${name}: ${value.toFixed(2)} ${unit} (goal ${goal}); ${detail}`);
  };
  try {
    await mkdir(home, { recursive: true });
    const { bytes, words } = writeStores(home, sessions);
    const parsed = await parseAll(home);
    const first = await start(place, home);
    add(
      `first list of ${sessions} sessions, without a catalogue`,
      first.ms,
      'ms',
      2000,
      `${first.listed} sessions in it`,
    );
    const peak = await first.settled();
    const { pid } = first.connection.daemon;
    const used = await processorTime(pid);
    await delay(collectedMs);
    add(
      'index, against reading and parsing',
      used / parsed,
      '×',
      2,
      `${(used / 1000).toFixed(1)} s of processor time for ${(bytes / 1e6).toFixed(0)} MB, read and parsed in ${(parsed / 1000).toFixed(1)} s`,
    );
    add(
      'memory while indexing',
      peak / 1e6,
      'MB',
      150,
      `resident, at most; ${((await statusOf(pid, 'VmRSS')) / 1e6).toFixed(0)} MB after it has collected its garbage`,
    );
    await first.stop();
    const again = await start(place, home);
    add('first list with a catalogue', again.ms, 'ms', 300, `${again.listed} sessions in it`);
    const settledPeak = await again.settled();
    const restarted = again.connection.daemon.pid;
    add(
      'read after a restart',
      (await readBytes(restarted)) / 1e6,
      'MB',
      (bytes / 1e6) * 0.01,
      `${((await processorTime(restarted)) / 1000).toFixed(1)} s of processor time, at most ${(settledPeak / 1e6).toFixed(0)} MB resident`,
    );
    await again.stop();
    const { times, cold, textBytes, plain } = await searches(place, words);
    add(
      'index, against reading, parsing and FTS5 with its own texts',
      used / (parsed + plain.indexed),
      '×',
      2,
      `FTS5 took ${(plain.indexed / 1000).toFixed(1)} s`,
    );
    add(
      'search, p95',
      percentile(times, 95),
      'ms',
      Math.max(20, 2 * percentile(plain.times, 95)),
      `processor time; median ${percentile(times, 50).toFixed(1)} ms, the first one ${cold.toFixed(1)} ms; FTS5 p95 ${percentile(plain.times, 95).toFixed(1)} ms, median ${percentile(plain.times, 50).toFixed(1)} ms, the first one ${(plain.times[0] ?? NaN).toFixed(1)} ms`,
    );
    const size = statSync(path.join(place.store, 'catalogue.db')).size;
    add(
      'catalogue, against its text',
      (100 * size) / textBytes,
      '%',
      60,
      `${(size / 1e6).toFixed(0)} MB for ${(textBytes / 1e6).toFixed(0)} MB of text`,
    );
    return rows;
  } finally {
    await place.close();
    if (given === undefined) await rm(home, { recursive: true, force: true });
  }
}

interface Started {
  readonly connection: DaemonConnection;
  /** Until the first list, from no daemon. */
  readonly ms: number;
  readonly listed: number;
  /** Resolves with the highest resident memory so far when everything is indexed. */
  readonly settled: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

async function start(place: DaemonBench, home: string): Promise<Started> {
  let isSettled = false;
  const onNews = ({ indexing }: News): Promise<void> => {
    if (indexing === null) isSettled = true;
    return Promise.resolve();
  };
  const began = performance.now();
  const connection = await place.connect({ onNews });
  await connection.call('watch', { events: false });
  const { sessions } = await connection.call('watchSources', {
    home,
    variables: {},
    scope: 'everything',
    folders: [],
    limit: 1000,
  });
  const ms = performance.now() - began;
  const { pid } = connection.daemon;
  return {
    connection,
    ms,
    listed: sessions.length,
    settled: async () => {
      await until('everything to be indexed', () => isSettled, indexingMs);
      return statusOf(pid, 'VmHWM');
    },
    stop: async () => {
      await connection.call('retire', { when: 'now' });
      await connection.closed;
    },
  };
}

/** Processor time in ms for reading every file and parsing every line. */
function parseAll(home: string): Promise<number> {
  const root = path.join(home, '.claude/projects');
  return usedBy(() => {
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.jsonl')) continue;
      for (const line of readFileSync(path.join(root, name), 'utf8').split('\n')) if (line !== '') JSON.parse(line);
    }
  });
}

/** A field in bytes. Linux only, as is the rest of this benchmark. */
async function statusOf(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}

async function readBytes(pid: number): Promise<number> {
  return Number(/^rchar: (\d+)$/m.exec(await readFile(`/proc/${pid}/io`, 'utf8'))?.[1]);
}

interface Searches {
  /** Processor time of each word, in ms. */
  readonly times: number[];
  /** The first one, which opens the catalogue. */
  readonly cold: number;
  readonly textBytes: number;
  /** The same with FTS5 that stores the same texts; `indexed`: processor time of its index, in ms. */
  readonly plain: { readonly times: number[]; readonly indexed: number };
}

/** In this process, as a command would. */
async function searches(place: DaemonBench, words: readonly string[]): Promise<Searches> {
  const catalogue = new Catalogue(place.store);
  const plain = new DatabaseSync(path.join(place.bench.dir, 'plain.db'));
  try {
    plain.exec('PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; CREATE VIRTUAL TABLE texts USING fts5(text)');
    const indexed = await usedBy(() => catalogue.use((database) => copyTexts(database, plain)));
    const select = plain.prepare(
      "SELECT rowid, snippet(texts, 0, '[', ']', '…', 12) FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 50",
    );
    const search = searchOf(new RecordStore(place.store, { clock: Date.now, log }), log, { catalogue });
    const [times, theirs]: [number[], number[]] = [[], []];
    for (const query of words) {
      times.push(await usedBy(() => search.search({ query })));
      theirs.push(await usedBy(() => select.all(`"${query}" *`)));
    }
    const textBytes = await catalogue.use(allTextBytes);
    return { times, cold: times[0] ?? NaN, textBytes, plain: { times: theirs, indexed } };
  } finally {
    catalogue.close();
    plain.close();
  }
}

function copyTexts(database: Database, plain: DatabaseSync): void {
  const insert = plain.prepare('INSERT INTO texts (text) VALUES (?)');
  plain.exec('BEGIN');
  for (const texts of chunksOf(database)) {
    const chunk = new ChunkTexts(texts);
    for (const index of chunk.indexes) insert.run((chunk.of(index) ?? []).join('\n'));
  }
  plain.exec('COMMIT');
}

function allTextBytes(database: Database): number {
  let bytes = 0;
  for (const texts of chunksOf(database)) bytes += textBytesOf(texts);
  return bytes;
}

function* chunksOf(database: Database): Generator<Uint8Array> {
  for (let last = -1; ;) {
    const rows = database.all('SELECT id, texts FROM chunks WHERE id > ? ORDER BY id LIMIT 200', last);
    if (rows.length === 0) return;
    for (const { id, texts } of rows) {
      if (texts instanceof Uint8Array) yield texts;
      last = Number(id);
    }
  }
}
