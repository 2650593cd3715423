import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { Bench } from '../../support/fakeAgent/engine.ts';
import { startEngine } from '../../support/processes/writingChild.ts';

const kills = Math.ceil(Number(process.env['VITRINE_KILLS'] ?? 15) / 10);
/** Kills of one session: the first of each starts it, the others resume it. */
const perSession = 10;

describe('an engine that is killed', function () {
  this.timeout(60_000 + kills * 20_000);
  const bench = new Bench();
  after(() => bench.close());

  it(`loses nothing that it reported, leaves no agent running, and continues, ${kills} times`, async () => {
    await mkdir(bench.cwd, { recursive: true });
    let state = 11;
    let session = '';
    let reported = -1;
    for (let kill = 0; kill < kills; kill += 1) {
      state = (state * 75 + 74) % 65_537;
      if (kill % perSession === 0) {
        session = '';
        reported = -1;
      }
      const child = startEngine(bench.store, bench.cwd, session);
      await child.until(2 + (state % 200));
      child.process.kill('SIGKILL');
      await child.ended;
      const [id = '', ...indexes] = child.said;
      session ||= id;
      assert.equal(id, session, child.complaints.join(''));
      reported = Math.max(reported, ...indexes.map(Number));

      const engine = await bench.engine();
      assert.deepEqual((await engine.sweep()).interrupted, [session]);
      assert.deepEqual(await readdir(path.join(bench.store, 'leases')), [], 'no agent is left');
      const handle = await engine.open(session);
      assert.equal(handle.summary().outcome, 'interrupted');
      const entries = await handle.read(0, reported + 1);
      assert.deepEqual(
        entries.map(({ index }) => index),
        Array.from({ length: reported + 1 }, (_, index) => index),
        `kill ${kill}`,
      );
      const words = entries.filter(({ type }) => type.kind === 'assistant_message');
      for (const { content } of words) {
        const [word = ''] = content.split(' ');
        assert.equal(content.trim(), `${word} `.repeat(Number(word) % 50 === 49 ? 50_000 : 20).trim());
      }
      handle.dispose();
      assert.equal((await engine.archive.verify(session)).verdict, 'intact', `kill ${kill}`);
      await engine.dispose();
    }
    const engine = await bench.engine();
    assert.equal((await engine.list()).length, Math.ceil(kills / perSession));
    assert.deepEqual(engine.archive.unreadable, []);
  });
});
