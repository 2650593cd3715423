import assert from 'node:assert/strict';
import { verifyRecord } from '../../../src/engine/record/chain/verify.ts';
import { anEntry, sessionId, temporaryStore } from '../../support/sessions/records.ts';
import { endWriters, startWriter } from '../../support/processes/writingChild.ts';

const kills = Number(process.env['VITRINE_KILLS'] ?? 15);

describe('a writer that is killed', function () {
  this.timeout(60_000 + kills * 10_000);
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  before(async () => {
    temporary = await temporaryStore();
  });
  after(async () => {
    await endWriters();
    await temporary.remove();
  });

  it(`loses nothing that was confirmed, ${kills} times`, async () => {
    let acknowledged = -1;
    let state = 7;
    for (let kill = 0; kill < kills; kill += 1) {
      state = (state * 75 + 74) % 65_537;
      // A record per 25 kills: each start reads on where the last one was cut.
      const id = `ses_${Math.floor(kill / 25)
        .toString(16)
        .padStart(12, '0')}`;
      if (kill % 25 === 0) acknowledged = -1;
      const child = startWriter('forever', temporary.dir, id);
      await child.until(1 + (state % 120));
      child.process.kill('SIGKILL');
      await child.ended;
      assert.deepEqual(child.complaints, []);
      acknowledged = Math.max(acknowledged, ...child.said.map(Number));
      const reader = await temporary.store.openReader(id);
      assert.equal(reader.interrupted, true);
      assert.ok(reader.total > acknowledged, `kill ${kill}: ${acknowledged} of ${reader.total}`);
      const from = Math.max(0, acknowledged - 200);
      const entries = await reader.read(from, acknowledged + 1);
      for (const [position, entry] of entries.entries()) {
        const index = from + position;
        assert.deepEqual(entry, anEntry(index, index % 40 === 39 ? `${index} `.repeat(80_000) : undefined));
      }
      assert.equal(entries.length, acknowledged + 1 - from);
      const raw = [];
      for await (const chunk of reader.raw('run_0123456789ab', 'stdout')) raw.push(chunk);
      assert.ok(Buffer.concat(raw).includes(`\n${acknowledged}\n`) || acknowledged === 0);
      await reader.close();
      const { verdict, breaks } = await verifyRecord(temporary.store.path(id));
      assert.deepEqual([verdict, breaks], ['intact', []]);
    }
    const survey = await temporary.store.listRecords();
    assert.equal(survey.summaries.length, Math.ceil(kills / 25));
    assert.deepEqual(survey.unreadable, []);
  });
});

describe('two windows', function () {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  beforeEach(async () => {
    temporary = await temporaryStore();
  });
  afterEach(async () => {
    await endWriters();
    await temporary.remove();
  });

  it('with two writers each keep lines of 3 MB complete', async () => {
    const ids = ['ses_000000000001', 'ses_000000000002', 'ses_000000000003', 'ses_000000000004'];
    const children = [
      startWriter('large', temporary.dir, ...ids.slice(0, 2)),
      startWriter('large', temporary.dir, ...ids.slice(2)),
    ];
    await Promise.all(children.map((child) => child.ended));
    for (const child of children) assert.deepEqual([child.said, child.complaints], [['written'], []]);
    for (const id of ids) {
      const reader = await temporary.store.openReader(id);
      const entries = await reader.read(0, 100);
      assert.deepEqual(
        entries.map((entry) => entry.content === `${entry.index} `.repeat(1_000_000)),
        Array.from({ length: 12 }, () => true),
      );
      for await (const line of reader.lines()) assert.ok(line.kind);
      assert.deepEqual(reader.problems, []);
      await reader.close();
    }
  });

  it('do not write one record', async () => {
    const children = Array.from({ length: 4 }, () => startWriter('hold', temporary.dir, sessionId));
    await Promise.all(children.map((child) => child.until(1)));
    const holders = children.filter((child) => child.said[0] === 'held');
    assert.equal(holders.length, 1, JSON.stringify(children.map((child) => [child.said, child.complaints])));
    const [holder] = holders;
    for (const child of children) {
      if (child !== holder) assert.deepEqual([child.said[0], child.complaints], [`busy ${holder?.process.pid}`, []]);
    }
    const reader = await temporary.store.openReader(sessionId);
    assert.equal(reader.interrupted, false);
    await reader.close();
    holder?.process.kill('SIGKILL');
    await holder?.ended;
    const next = startWriter('hold', temporary.dir, sessionId);
    await next.until(1);
    assert.deepEqual(next.said, ['held']);
    next.process.stdin.end();
    await Promise.all([...children, next].map((child) => child.ended));
    await (await temporary.store.openWriter(sessionId)).close();
  });
});
