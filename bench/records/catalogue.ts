import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Catalogue } from '../../src/engine/catalogue/catalogue.ts';
import { RecordStore } from '../../src/engine/record/recordStore.ts';
import { SessionSearch } from '../../src/engine/search/sessionSearch.ts';
import { textsOf } from '../../src/insight/search/facts.ts';
import { loadPrices } from '../../src/insight/prices/prices.ts';
import { turn, uuidOf, writeSession } from '../../test/support/stores/claudeStore.ts';
import { sourcesOf } from '../../test/support/stores/homes.ts';
import { compare, percentile, type Row, usedBy } from '../harness.ts';

const quiet = (): void => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
/** Size of the sample sessions. */
const wordsPerMessage = 600;
const turnsPerSession = 40;
/** Other data that agents write, in bytes per session. */
const bookkeepingBytes = 150_000;

/** Building and searching the catalogue for stores of another program, compared with FTS5 that stores whole texts. */
export async function catalogue(sessions = 40, turns = 3): Promise<Row[]> {
  const home = await mkdtemp(path.join(tmpdir(), 'vitrine-bench-'));
  const store = new RecordStore(path.join(home, 'none'), { clock: Date.now, log });
  const opened: Catalogue[] = [];
  const searching = (): SessionSearch => {
    const made = new Catalogue(path.join(home, 'store'));
    opened.push(made);
    return new SessionSearch(made, { store, log, sources: sourcesOf(home), prices: () => loadPrices() });
  };
  try {
    const words = writeStores(home, sessions);
    await mkdir(path.join(home, 'store'));
    const read = (): Promise<string[][]> => textsOfAll(home);
    const index = (): Promise<unknown> => searching().rebuild();
    const built = await compare(index, read, turns);
    const withPlain = await compare(index, async () => wordsOnlyIndex(await read()), turns);
    const plain = plainIndex(await read());
    const search = searching();
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (const word of words) {
      ours.push(await usedBy(() => search.search({ query: word })));
      theirs.push(await usedBy(() => plain(word)));
    }
    const [subject, baseline] = [percentile(ours, 95), percentile(theirs, 95)];
    return [
      {
        name: `catalogue: index of ${sessions} sessions, against reading and parsing`,
        value: built.ratio,
        unit: '×',
        goal: 2,
        detail: `${built.subject.toFixed(0)} ms, read and parsed in ${built.baseline.toFixed(0)} ms`,
      },
      {
        name: 'catalogue: index, against reading, parsing and plain FTS5 together',
        value: withPlain.ratio,
        unit: '×',
        goal: 2,
        detail: `${withPlain.subject.toFixed(0)} ms; ${withPlain.baseline.toFixed(0)} ms`,
      },
      {
        name: 'catalogue: search, p95, against FTS5 with its own text',
        value: subject,
        unit: 'ms',
        goal: Math.max(20, 2 * baseline),
        detail: `FTS5 ${baseline.toFixed(1)} ms; the rarest word ${Math.min(...ours).toFixed(1)} ms`,
      },
    ];
  } finally {
    for (const connection of opened) connection.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Writes sessions with natural word frequencies; returns sample words of each frequency. */
function writeStores(home: string, sessions: number): string[] {
  let seed = 1;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const word = (n: number): string => `${n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')}x`;
  const text = (): string =>
    Array.from({ length: wordsPerMessage }, () => word(Math.floor(20_000 ** random()))).join(' ');
  for (let session = 0; session < sessions; session += 1) {
    const id = uuidOf(session);
    const lines = Array.from({ length: turnsPerSession }, (_, n) =>
      turn(id, n, { id: `msg_${session}_${n}`, text: text() }),
    );
    const bookkeeping = { type: 'attachment', sessionId: id, attachment: { text: 'x'.repeat(bookkeepingBytes) } };
    writeSession(home, id, [...lines.flat(), bookkeeping]);
  }
  return Array.from({ length: 40 }, (_, n) => word(Math.floor(1.28 ** n)));
}

async function textsOfAll(home: string): Promise<string[][]> {
  const sources = sourcesOf(home);
  const rows = await sources.list(await loadPrices());
  const all: string[][] = [];
  for (const { session_id: id } of rows) {
    const { entries = [] } = (await sources.read(id)) ?? {};
    all.push(entries.map((entry) => textsOf(entry).join('\n')));
  }
  return all;
}

/** The least work of FTS5 for these texts: one transaction in memory, without positions and without the texts. */
function wordsOnlyIndex(sessions: readonly (readonly string[])[]): void {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec("CREATE VIRTUAL TABLE texts USING fts5(text, content='', detail=none); BEGIN");
    const insert = database.prepare('INSERT INTO texts (text) VALUES (?)');
    for (const text of sessions.flat()) insert.run(text);
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

/** FTS5 with stored texts: the best 50 matches with their excerpts. */
function plainIndex(sessions: readonly (readonly string[])[]): (word: string) => unknown {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE VIRTUAL TABLE texts USING fts5(text)');
  const insert = database.prepare('INSERT INTO texts (text) VALUES (?)');
  for (const text of sessions.flat()) insert.run(text);
  const select = database.prepare(
    "SELECT rowid, snippet(texts, 0, '[', ']', '…', 12) FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 50",
  );
  return (word) => select.all(`"${word}" *`);
}
