import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as fc from 'fast-check';
import { Catalogue } from '../../../../src/engine/catalogue/catalogue.ts';
import { wasmDriver } from '../../../../src/engine/catalogue/database.ts';
import type { SearchAnswer, SearchRequest } from '../../../../src/engine/search/types.ts';
import { matchesOperators } from '../../../../src/insight/search/facts.ts';
import { silentLog } from '../../../support/silentLog.ts';
import { captureFile, sourcesOf } from '../../../support/stores/homes.ts';
import { searchOf } from '../../../support/sessions/searching.ts';
import { parseQuery } from '../../../../src/insight/search/query.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { call, edits, reads, runs, said } from '../../../support/sessions/madeEntries.ts';
import { aSession, aSummary, appendAll, temporaryStore } from '../../../support/sessions/records.ts';

describe('search over sessions', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let opened: Catalogue[];
  beforeEach(async () => {
    temporary = await temporaryStore();
    opened = [];
  });
  afterEach(async () => {
    closeAll();
    await temporary.remove();
  });

  function closeAll(): void {
    for (const catalogue of opened.splice(0)) catalogue.close();
  }

  function openCatalogue(): Catalogue {
    const catalogue = new Catalogue(temporary.dir);
    opened.push(catalogue);
    return catalogue;
  }

  const id = (n: number): string => `ses_${n.toString(16).padStart(12, '0')}`;
  const search = () => searchOf(temporary.store, silentLog, { catalogue: openCatalogue() });

  async function keep(n: number, entries: readonly NormalizedEntry[]): Promise<void> {
    const session_id = id(n);
    const writer = await temporary.store.create(aSession({ session_id }));
    await add(writer, session_id, entries);
  }

  async function addEntries(n: number, entries: readonly NormalizedEntry[]): Promise<void> {
    await add(await temporary.store.openWriter(id(n)), id(n), entries);
  }

  async function add(
    writer: Awaited<ReturnType<typeof temporary.store.create>>,
    session_id: string,
    entries: readonly NormalizedEntry[],
  ): Promise<void> {
    const last = entries.at(-1)?.index ?? -1;
    await appendAll(writer, [
      ...entries.map((entry) => ({ kind: 'entry' as const, entry })),
      { kind: 'summary', summary: aSummary({ session_id, entries: last + 1 }), turns: [], turns_omitted: 0 },
    ]);
    await writer.close();
  }

  const short = ({ sessions }: SearchAnswer) =>
    Object.fromEntries(
      sessions.map(({ session, hits }) => [session.session_id.slice(-1), hits.map(({ entry }) => entry)]),
    );
  const ask = async (query: string, args: Partial<SearchRequest> = {}) => search().search({ query, ...args });

  const sample = (): NormalizedEntry[] => [
    said(0, 'Fix the flaky retry test', 'user_message'),
    call(1, reads('/p/src/upload/retry.ts'), { toolName: 'Read', result: { text: 'export function nextDelay() {}' } }),
    call(2, runs('npm test', 1), { toolName: 'Bash', result: { text: 'AssertionError: expected 250 to equal 300' } }),
    said(3, 'The delay was random; now it is a fixed delay.'),
  ];

  it('excludes automatic messages, counts them, and finds them on request', async () => {
    const marked = (index: number, text: string, overrides: Partial<NormalizedEntry>): NormalizedEntry => ({
      ...said(index, text, 'user_message'),
      ...overrides,
      metadata: { synthetic: true },
    });
    await keep(1, [
      said(0, 'Look for tea', 'user_message'),
      marked(1, 'Tea, then?', { origin: 'follow_up' }),
      marked(2, 'Tea has ended.', { origin: 'callback' }),
      { ...said(3, 'tea', 'user_message'), metadata: { synthetic: false } },
    ]);
    await keep(2, [marked(0, 'Only tea here', { origin: 'callback' })]);
    const lines: string[] = [];
    const reported = (level: string) => (line: string) => void lines.push(`${level} ${line}`);
    const heard = { ...silentLog, debug: reported('debug'), info: reported('info') };
    await searchOf(temporary.store, heard, { catalogue: openCatalogue() }).search({
      query: '"tea, then"',
    });
    assert.deepEqual(lines, [
      `debug Filtered synthetic message from thread history messageId=${id(1)}#1`,
      'info Extracted messages from thread totalMessages=1 filteredCount=1 visibleMessages=0 list=search',
    ]);
    for (const [query, left] of [
      ['tea', 3],
      ['"tea, then"', 1],
      ['coffee', 0],
    ] as const) {
      const { leftOut, sessions } = await ask(query);
      assert.equal(leftOut, left, query);
      assert.ok(sessions.every(({ session }) => session.session_id === id(1)));
    }
    assert.deepEqual(short(await ask('tea')), { 1: [0, 3] });
    const all = await ask('tea', { synthetic: true });
    assert.deepEqual(short(all), { 1: [0, 1, 2, 3], 2: [0] });
    assert.equal(all.leftOut, 0);
    const by = all.sessions.flatMap(({ hits }) => hits.map(({ origin }) => origin ?? 'human'));
    assert.deepEqual(by.sort(), ['callback', 'callback', 'follow_up', 'human', 'human']);
  });

  it('counts matches beyond the limit, for the log', async () => {
    for (const n of [1, 2, 3]) await keep(n, [said(0, 'tea'), said(1, 'more tea')]);
    const lines: string[] = [];
    const heard = { ...silentLog, info: (line: string) => void lines.push(line) };
    const search = searchOf(temporary.store, heard, { catalogue: openCatalogue() });
    const { sessions, moreSessions } = await search.search({ query: 'tea', mostSessions: 1 });
    assert.deepEqual([sessions.length, moreSessions], [1, 2]);
    assert.deepEqual(lines, [
      'Extracted messages from thread totalMessages=6 filteredCount=0 visibleMessages=6 list=search',
    ]);
  });

  it('finds words, parts of names and tool output, with their places', async () => {
    await keep(1, sample());
    await keep(2, [said(0, 'Something else', 'user_message'), said(1, '再試行の遅延')]);
    const cases: readonly (readonly [string, object])[] = [
      ['retry', { 1: [0, 1] }],
      ['nextdel', { 1: [1] }],
      ['delay', { 1: [1, 3] }],
      ['asserti 250', { 1: [2] }],
      ['"fixed delay"', { 1: [3] }],
      ['"delay fixed"', {}],
      ['src/upload', { 1: [1] }],
      ['試行', { 2: [1] }],
      ['error', { 1: [2] }],
      ['kind:user', { 1: [0], 2: [0] }],
      ['tool:bash 250', { 1: [2] }],
      ['file:retry.ts', { 1: [1] }],
      ['nothing', {}],
      ['=>', {}],
    ];
    for (const [query, expected] of cases) assert.deepEqual(short(await ask(query)), expected, query);
    const answer = await ask('250');
    assert.deepEqual(answer.scanned, { sessions: 2, entries: 6, cut: 0, damaged: [], unreadable: [], elsewhere: 0 });
    const [hit] = answer.sessions.flatMap(({ hits }) => hits);
    assert.deepEqual([hit?.tool, hit?.kind, hit?.sessionId], ['Bash', 'tool_use', id(1)]);
    assert.equal(hit?.excerpt.text, 'AssertionError: expected 250 to equal 300');
    assert.deepEqual(hit.excerpt.ranges, [[25, 28]]);
  });

  it('ranks the most relevant session first', async () => {
    await keep(1, [said(0, 'A long tale that names jitter once, among very many other words that say little of it.')]);
    await keep(2, [said(0, 'jitter jitter'), said(1, 'more jitter')]);
    await keep(3, [said(0, 'nothing of the kind')]);
    const { sessions } = await ask('jitter');
    assert.deepEqual(
      sessions.map(({ session }) => session.session_id),
      [id(2), id(1)],
    );
  });

  it('reads only changed records, across windows, and forgets deleted ones', async () => {
    await keep(1, sample());
    await keep(2, [said(0, 'other')]);
    const seen: string[] = [];
    const onProgress = (done: number, of: number) => void seen.push(`${done}/${of}`);
    await ask('retry', { onProgress });
    assert.deepEqual(seen.splice(0), ['0/2', '1/2']);
    const next = search();
    await next.search({ query: 'retry', onProgress });
    assert.deepEqual(seen.splice(0), []);
    await addEntries(1, [said(4, 'A word that came later: zebra')]);
    assert.deepEqual(short(await next.search({ query: 'zebra', onProgress })), { 1: [4] });
    assert.deepEqual(seen.splice(0), ['0/1']);
    assert.deepEqual(short(await next.search({ query: 'retry' })), { 1: [0, 1] });
    await temporary.store.remove(id(1));
    assert.deepEqual(short(await next.search({ query: 'retry' })), {});
    await next.forget(id(2));
    const catalogue = openCatalogue();
    const left = await catalogue.use((database) =>
      ['sessions', 'chunks', 'entries', 'touches'].map((table) => database.all(`SELECT * FROM ${table}`).length),
    );
    catalogue.close();
    assert.deepEqual(left, [0, 0, 0, 0]);
  });

  it('rewrites only the end of a grown session', async () => {
    const entries = Array.from({ length: 400 }, (_, n) => said(n, `only${n}x ${'word '.repeat(200)}`));
    await keep(1, entries);
    assert.deepEqual(short(await ask('only399x')), { 1: [399] });
    const catalogue = openCatalogue();
    const chunks = () =>
      catalogue.use((database) => database.all('SELECT id, hash FROM chunks ORDER BY id').map(({ hash }) => hash));
    const before = await chunks();
    assert.ok(before.length > 10);
    await addEntries(1, [said(400, 'tail')]);
    assert.deepEqual(short(await ask('tail')), { 1: [400] });
    assert.deepEqual(short(await ask('only30x')), { 1: [30] });
    const after = await chunks();
    catalogue.close();
    assert.deepEqual(after.slice(0, before.length - 1), before.slice(0, -1));
    assert.notDeepEqual(after, before);
  });

  it('finds entries that settled or changed late', async () => {
    const words = (n: number) => Array.from({ length: 800 }, (_, k) => `w${(n * 37 + k) % 2000}`).join(' ');
    const entries = Array.from({ length: 400 }, (_, n) => said(n, `before ${words(n)}`));
    const late = [5, 140, 141, 390];
    await keep(
      1,
      entries.filter(({ index }) => !late.includes(index)),
    );
    assert.deepEqual(short(await ask('settled')), {});
    await addEntries(1, [...late.map((index) => said(index, `settled ${words(index)}`)), said(200, 'settled again')]);
    assert.deepEqual(short(await ask('settled')), { 1: [5, 140, 141, 200, 390] });
    assert.deepEqual(short(await ask('before', { mostHits: 1000 }))[1]?.length, 395);
    const scanned = await search().rebuild();
    assert.equal(scanned.entries, 400);
    assert.deepEqual(short(await ask('settled')), { 1: [5, 140, 141, 200, 390] });
  });

  it('rebuilds a deleted, truncated, damaged or outdated catalogue', async () => {
    const padding = Array.from({ length: 60 }, (_, n) => said(n + 4, `filler ${n} ${'text '.repeat(100)}`));
    await keep(1, [...sample(), ...padding]);
    await ask('retry');
    closeAll();
    const file = path.join(temporary.dir, 'catalogue.db');
    const whole = await readFile(file);
    const flipped = Buffer.from(whole);
    flipped.fill(0xa5, 4096, Math.min(whole.length, 40_960));
    for (const damage of [whole.subarray(0, 5000), Buffer.from('no database'), Buffer.alloc(8192, 1), flipped]) {
      closeAll();
      await writeFile(file, damage);
      assert.deepEqual(short(await ask('retry')), { 1: [0, 1] });
    }
    const catalogue = openCatalogue();
    await catalogue.use((database) => database.exec('PRAGMA user_version=99'));
    catalogue.close();
    assert.deepEqual(short(await ask('retry')), { 1: [0, 1] });
    const open = search();
    await open.search({ query: 'retry' });
    await rm(file);
    assert.deepEqual(short(await open.search({ query: 'retry' })), { 1: [0, 1] });
    assert.equal((await search().rebuild()).entries, 64);
  });

  it('is private to the user, and replaces the index of earlier versions', async () => {
    await mkdir(path.join(temporary.dir, 'search'));
    await ask('retry');
    assert.ok(!(await readdir(temporary.dir)).includes('search'));
    if (process.platform !== 'win32')
      assert.equal((await stat(path.join(temporary.dir, 'catalogue.db'))).mode & 0o777, 0o600);
  });

  it('works the same with SQLite as WebAssembly, in a separate file', async () => {
    await keep(1, sample());
    const catalogue = new Catalogue(temporary.dir, wasmDriver);
    const it = searchOf(temporary.store, silentLog, { catalogue });
    assert.deepEqual(short(await it.search({ query: 'delay' })), { 1: [1, 3] });
    await addEntries(1, [said(4, 'zebra')]);
    assert.deepEqual(short(await it.search({ query: 'zebra' })), { 1: [4] });
    catalogue.close();
    assert.ok((await readdir(temporary.dir)).includes('catalogue-wasm.db'));
    const lock = path.join(temporary.dir, 'catalogue-wasm.db.lock');
    await mkdir(lock);
    await utimes(lock, 0, 0);
    const next = new Catalogue(temporary.dir, wasmDriver);
    const again = searchOf(temporary.store, silentLog, { catalogue: next });
    assert.deepEqual(short(await again.search({ query: 'zebra' })), { 1: [4] }, 'a lock that was left is removed');
    next.close();
  });

  it('creates no file without a store, and works without a writable one', async () => {
    await keep(1, sample());
    const nowhere = path.join(temporary.dir, 'nowhere');
    const inMemory = new Catalogue(nowhere);
    const it = searchOf(temporary.store, silentLog, { catalogue: inMemory });
    assert.deepEqual(short(await it.search({ query: 'retry' })), { 1: [0, 1] });
    assert.deepEqual(short(await it.search({ query: 'delay' })), { 1: [1, 3] });
    inMemory.close();
    assert.ok(!(await readdir(temporary.dir)).includes('nowhere'));
    await mkdir(path.join(temporary.dir, 'catalogue.db'));
    assert.deepEqual(short(await ask('retry')), { 1: [0, 1] });
  });

  it('finds sessions from other programs once, without those recorded by Vitrine', async () => {
    const sources = sourcesOf(captureFile('claude-code-2.1.330/print-fork', 'home'));
    const it = searchOf(temporary.store, silentLog, { sources, catalogue: openCatalogue() });
    const first = await it.search({ query: 'kind:user' });
    assert.equal(first.sessions.length, 2);
    assert.ok(first.scanned.entries > 4);
    const [one] = first.sessions;
    assert(one !== undefined && 'source' in one.session);
    assert.match(one.hits[0]?.excerpt.text ?? '', /\w/);
    let read = 0;
    const again = searchOf(temporary.store, silentLog, { sources, catalogue: openCatalogue() });
    await again.search({ query: 'kind:user', onProgress: () => (read += 1) });
    assert.equal(read, 0, 'what did not change is not read again');
    const recorded = one.session.executor_session_ids;
    const writer = await temporary.store.create(
      aSession({ session_id: id(1), executor_session_ids: [...recorded], status: 'finished' }),
    );
    await writer.close();
    const own = await it.search({ query: 'kind:user' });
    assert.deepEqual(
      own.sessions.map(({ session }) => session.session_id === one.session.session_id),
      [false],
    );
  });

  it('finds what several processes index at the same time', async () => {
    for (const n of [1, 2, 3]) await keep(n, sample());
    const answers = await Promise.all([search(), search(), search()].map((fresh) => fresh.search({ query: 'retry' })));
    for (const answer of answers) assert.equal(answer.sessions.length, 3);
    assert.deepEqual(short(await ask('250')), { 1: [2], 2: [2], 3: [2] });
  });

  it('reports what is unreadable, damaged, too long or excluded', async () => {
    await keep(1, [said(0, `${'long '.repeat(20_000)} hiddenword`)]);
    await keep(2, sample());
    await keep(3, [said(0, 'elsewhere retry')]);
    await appendFile(temporary.store.path(id(2)), '{"kind":"entry","entry":{"index":4, broken\n');
    await writeFile(temporary.store.path(id(4)).replace('record.jsonl', ''), '').catch(() => undefined);
    const answer = await ask('retry', { within: ({ session_id }) => session_id !== id(3) });
    assert.deepEqual(short(answer), { 2: [0, 1] });
    const { cut, damaged, elsewhere: others, sessions } = answer.scanned;
    assert.deepEqual(
      { cut, damaged, elsewhere: others, sessions },
      { cut: 1, damaged: [id(2)], elsewhere: 1, sessions: 2 },
    );
    assert.deepEqual(short(await ask('hiddenword')), {});
  });

  it('can be cancelled, and works afterwards', async () => {
    await keep(1, sample());
    const it = search();
    await assert.rejects(it.search({ query: 'retry', signal: AbortSignal.abort(new Error('enough')) }), /enough/);
    assert.deepEqual(short(await it.search({ query: 'retry' })), { 1: [0, 1] });
  });

  it('finds exactly what reading every entry finds', async () => {
    const vocabulary = ['alpha', 'alphabet', 'betaGamma', 'gamma', 'snake_case', 'x1', 'Ünïcode', '再試行'];
    const word = fc.constantFrom(...vocabulary);
    const entry = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
    const query = fc
      .array(
        fc.constantFrom(
          'alpha',
          'gamma',
          '"alpha gamma"',
          'snake',
          'x',
          'ünï',
          '試行',
          'kind:user',
          'kind:edit',
          'tool:ed',
          'file:b',
        ),
        {
          minLength: 1,
          maxLength: 3,
        },
      )
      .map((parts) => parts.join(' '));
    const made = fc.array(fc.tuple(entry, fc.constantFrom('user', 'assistant', 'edit')), {
      minLength: 1,
      maxLength: 12,
    });
    let n = 0;
    await fc.assert(
      fc.asyncProperty(made, fc.array(query, { minLength: 1, maxLength: 4 }), async (texts, queries) => {
        n += 1;
        const entries = texts.map(([text, kind], index) =>
          kind === 'edit'
            ? call(index, edits(`/p/${kind}b.ts`, '', text), { toolName: 'Edit' })
            : said(index, text, kind === 'user' ? 'user_message' : 'assistant_message'),
        );
        await keep(n, entries);
        const within = ({ session_id }: { session_id: string }) => session_id === id(n);
        for (const words of queries) {
          const wanted = entries
            .filter((one) => matchesOperators(one, parseQuery(words).query))
            .map(({ index }) => index);
          const found = (await ask(words, { within })).sessions[0]?.hits.map((hit) => hit.entry) ?? [];
          assert.deepEqual(found, wanted, words);
        }
        await temporary.store.remove(id(n));
      }),
      { numRuns: 40 },
    );
  });
});
