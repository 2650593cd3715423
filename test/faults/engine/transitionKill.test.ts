import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isSessionLive } from '../../../src/model/session/status.ts';
import { Bench, waitForResult, prompt } from '../../support/fakeAgent/engine.ts';
import { startResumer } from '../../support/processes/writingChild.ts';

const kills = Math.ceil(Number(process.env['VITRINE_KILLS'] ?? 15) / 5);
const steps = [{ init: true }, { say: 'hello' }, { result: {} }];
/** A resume with its whole run is within so many milliseconds. */
const resumeMs = 700;
const perSession = 20;

describe('a session whose resumes are killed', function () {
  this.timeout(60_000 + kills * 20_000);
  const bench = new Bench();
  after(() => bench.close());

  it(`shows its actual state and can be resumed again, ${kills} times`, async () => {
    await mkdir(bench.cwd, { recursive: true });
    let id = '';
    const cut = { open: 0, over: 0 };
    for (let kill = 0; kill < kills; kill += 1) {
      if (kill % perSession === 0) {
        const engine = await bench.engine();
        const handle = await engine.start(bench.request(steps));
        await waitForResult(handle);
        handle.dispose();
        id = handle.id;
        await engine.dispose();
      }
      const child = startResumer(bench.store, id, prompt(steps));
      // Some are killed in the first resume of the process, and some in the second, when everything is loaded.
      await child.until(1 + (kill % 2));
      await delay((kill * 37) % resumeMs);
      child.process.kill('SIGKILL');
      await child.ended;
      assert.equal(child.complaints.join(''), '', `before kill ${kill}`);

      const engine = await bench.engine();
      const { interrupted } = await engine.sweep();
      cut[interrupted.length > 0 ? 'open' : 'over'] += 1;
      const listed = (await engine.list()).find(({ session_id }) => session_id === id);
      assert.equal(isSessionLive(listed?.status ?? 'running'), false, `kill ${kill}`);
      if (kill % perSession === perSession - 1 || kill === kills - 1) {
        const again = await engine.resume(id, { prompt: prompt(steps) });
        assert.equal((await waitForResult(again)).success, true, `kill ${kill}`);
        again.dispose();
        assert.equal((await engine.archive.verify(id)).verdict, 'intact', `kill ${kill}`);
      }
      await engine.dispose();
    }
    if (kills > 6) process.stdout.write(`      ${cut.open} left a run or a session open, ${cut.over} did not\n`);
  });
});
