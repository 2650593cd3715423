import assert from 'node:assert/strict';
import { copyFile, cp, mkdtemp, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { DatabaseFile, type DatabaseRead } from '../../../../src/engine/sqlite/databaseFile.ts';
import { wasmReader } from '../../../../src/engine/sqlite/driver.ts';

const captured = path.resolve(
  'test/fixtures/stores/opencode-1.18.33/run-resume-fork/home/.local/share/opencode/opencode.db',
);

describe('a database of another program', () => {
  let folder = '';
  let temporary = '';
  let file: DatabaseFile;
  let name = '';

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vitrine-test-'));
    temporary = await mkdtemp(path.join(tmpdir(), 'vitrine-test-'));
    name = path.join(folder, 'agent.db');
    file = new DatabaseFile(name, { temporaryFolder: temporary });
  });

  afterEach(async () => {
    await file.dispose();
    await rm(folder, { recursive: true, force: true });
    await rm(temporary, { recursive: true, force: true });
  });

  /** Name, size, time and content of everything in the folder. */
  async function state(): Promise<string[]> {
    const names = await readdir(folder);
    return Promise.all(
      names.sort().map(async (fileName) => {
        const full = path.join(folder, fileName);
        const { size, mtimeMs, ctimeMs } = await stat(full);
        return [fileName, size, mtimeMs, ctimeMs, (await readFile(full)).toString('base64')].join(' ');
      }),
    );
  }

  async function numbers(): Promise<DatabaseRead<unknown[]>> {
    return file.read((database) => database.rows('SELECT n FROM numbers ORDER BY n').map(({ n }) => n));
  }

  /** A database that is open in WAL mode; what is written stays in the log. */
  function writer(pageSize = 4096): DatabaseSync {
    const database = new DatabaseSync(name);
    database.exec(`PRAGMA page_size = ${pageSize}; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0`);
    database.exec('CREATE TABLE numbers (n INTEGER)');
    return database;
  }

  function add(database: DatabaseSync, from: number, to: number): void {
    const insert = database.prepare('INSERT INTO numbers VALUES (?)');
    database.exec('BEGIN');
    for (let n = from; n < to; n += 1) insert.run(n);
    database.exec('COMMIT');
  }

  const upTo = (count: number) => ({ kind: 'read', value: [...Array(count).keys()], problems: [] });

  it('is read with its write-ahead log, and not modified', async () => {
    await copyFile(captured, name);
    await copyFile(`${captured}-wal`, `${name}-wal`);
    const before = await state();
    const read = await file.read((database) => database.rows('SELECT title FROM session ORDER BY time_created'));
    assert.deepEqual(read, {
      kind: 'read',
      value: [{ title: 'Explain the code' }, { title: 'Explain the code (fork #1)' }],
      problems: [],
    });
    assert.deepEqual(await state(), before);
  });

  it('is read in place without a log', async () => {
    const database = new DatabaseSync(name);
    database.exec('CREATE TABLE numbers (n INTEGER)');
    add(database, 0, 100);
    database.close();
    const before = await state();
    assert.deepEqual(await numbers(), upTo(100));
    assert.deepEqual(await state(), before);
    assert.deepEqual(await readdir(temporary), []);
  });

  for (const pageSize of [512, 4096, 65_536]) {
    it(`is followed while it is written, with pages of ${pageSize} bytes`, async () => {
      const database = writer(pageSize);
      try {
        for (const [from, to] of [
          [0, 10],
          [10, 2000],
          [2000, 2001],
        ] as const) {
          add(database, from, to);
          const before = await state();
          assert.deepEqual(await numbers(), upTo(to));
          assert.deepEqual(await state(), before);
        }
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        assert.deepEqual(await numbers(), upTo(2001));
        add(database, 2001, 3000);
        database.exec('PRAGMA wal_checkpoint(RESTART)');
        add(database, 3000, 3001);
        assert.deepEqual(await numbers(), upTo(3001));
        database.exec('DELETE FROM numbers WHERE n > 4; VACUUM');
        assert.deepEqual(await numbers(), upTo(5));
      } finally {
        database.close();
      }
    });
  }

  it('hides uncommitted transactions', async () => {
    const database = writer();
    try {
      add(database, 0, 3);
      database.exec('PRAGMA cache_size = 1; BEGIN; INSERT INTO numbers SELECT 7 FROM numbers, numbers, numbers');
      assert.deepEqual(await numbers(), upTo(3));
      database.exec('ROLLBACK');
    } finally {
      database.close();
    }
  });

  it('is rolled back in the copy if there is a journal', async () => {
    const database = new DatabaseSync(name);
    database.exec('PRAGMA journal_mode = DELETE; CREATE TABLE numbers (n INTEGER)');
    add(database, 0, 5000);
    database.exec('PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE numbers SET n = n + 1');
    assert.ok((await readdir(folder)).includes('agent.db-journal'));
    const before = await state();
    assert.deepEqual(await numbers(), upTo(5000));
    assert.deepEqual(await state(), before);
    database.exec('ROLLBACK');
    database.close();
  });

  it('returns unsafe integers as text', async () => {
    const database = new DatabaseSync(name);
    database.exec("CREATE TABLE big AS SELECT 9007199254740993 AS n, x'00ff' AS bytes, NULL AS none");
    database.close();
    const read = await file.read((queries) => queries.rows('SELECT * FROM big WHERE n > ?', 5));
    const value = [{ n: '9007199254740993', bytes: new Uint8Array([0, 255]), none: null }];
    assert.deepEqual(read, { kind: 'read', value, problems: [] });
  });

  it('reports why it cannot be read', async () => {
    const reasons: string[] = [];
    const reasonOf = async (read: Promise<DatabaseRead<unknown>>) => {
      const result = await read;
      reasons.push(result.kind === 'unreadable' ? result.reason : result.problems.join(' '));
    };
    await reasonOf(numbers());
    await writeFile(name, 'no database, but long enough to be one');
    await reasonOf(numbers());
    await rm(name);
    await cp(path.dirname(captured), name, { recursive: true });
    await reasonOf(numbers());
    await reasonOf(new DatabaseFile(captured, { driver: async () => Promise.resolve(undefined) }).read(() => 1));
    await reasonOf(new DatabaseFile(captured, { maxCopyBytes: 1000 }).read(() => 1));
    const missing = path.join(folder, 'missing');
    await reasonOf(new DatabaseFile(captured, { temporaryFolder: missing }).read(() => 1));
    assert.match(reasons[0]!, /ENOENT/);
    assert.equal(reasons[1], 'This file is not an SQLite database.');
    assert.equal(reasons[2], 'This is not a file.');
    assert.equal(reasons[3], 'This runtime has no SQLite (node:sqlite).');
    assert.equal(reasons[4], 'The database is in use and too large to copy: 1296248 bytes, at most 1000.');
    assert.match(reasons[5]!, /ENOENT.*missing/);
  });

  it('removes its copy', async () => {
    const database = writer();
    add(database, 0, 3);
    assert.deepEqual(await numbers(), upTo(3));
    assert.equal((await readdir(temporary)).length, 1);
    await file.dispose();
    assert.deepEqual(await readdir(temporary), []);
    assert.deepEqual(await numbers(), upTo(3));
    database.close();
  });

  it('shows every committed state, wherever the log is cut', async function () {
    const database = writer(512);
    for (let n = 0; n < 40; n += 1) add(database, n, n + 1);
    const [main, log] = [await readFile(name), await readFile(`${name}-wal`)];
    database.close();
    await fc.assert(
      fc.asyncProperty(fc.nat(log.length), async (length) => {
        await writeFile(name, main);
        await writeFile(`${name}-wal`, log.subarray(0, length));
        const read = await numbers();
        assert(read.kind === 'read');
        assert.deepEqual(read.value, [...Array(read.value.length).keys()]);
        assert.ok(length < log.length || read.value.length === 40);
      }),
      { numRuns: 60, seed: 20261124 },
    );
  });

  it('never throws for damage', async function () {
    const [main, log] = [await readFile(captured), await readFile(`${captured}-wal`)];
    const damage = fc.record({
      at: fc.nat(main.length - 1),
      byte: fc.nat(255),
      inLog: fc.boolean(),
      cut: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
        const [database, wal] = [Buffer.from(main), Buffer.from(log)];
        for (const { at, byte, inLog } of damages) (inLog ? wal : database)[at] = byte;
        await writeFile(name, database);
        await writeFile(`${name}-wal`, wal);
        for (const { at, inLog, cut } of damages) if (cut) await truncate(inLog ? `${name}-wal` : name, at);
        const read = await file.read((queries) => queries.rows('SELECT * FROM part').length);
        if (read.kind === 'unreadable') assert.notEqual(read.reason, '');
      }),
      { numRuns: 60, seed: 20261124 },
    );
  });

  it('is read from a private copy by SQLite as WebAssembly, including its log', async () => {
    const other = new DatabaseFile(name, { temporaryFolder: temporary, driver: wasmReader });
    const database = writer();
    add(database, 0, 50);
    const before = await state();
    const read = await other.read((queries) => queries.rows('SELECT count(*) AS n, max(n) AS m FROM numbers'));
    assert.deepEqual(read, { kind: 'read', value: [{ n: 50, m: 49 }], problems: [] });
    assert.deepEqual(await state(), before);
    database.close();
    await other.dispose();
    const rows = (driver?: typeof wasmReader) =>
      new DatabaseFile(captured, { temporaryFolder: temporary, ...(driver && { driver }) }).read((queries) =>
        queries.rows('SELECT * FROM message ORDER BY id'),
      );
    assert.deepEqual(await rows(wasmReader), await rows());
  });
});
