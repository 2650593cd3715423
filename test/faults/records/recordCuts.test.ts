import assert from 'node:assert/strict';
import { cp, readFile, rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { isSessionLive } from '../../../src/model/session/status.ts';
import { fuzzRuns, printFuzzTotals } from '../../support/hostile/fuzz.ts';
import { Bench, waitForResult, prompt } from '../../support/fakeAgent/engine.ts';

const steps = [
  { init: true },
  { say: 'hello' },
  { tool: 'Bash', input: { command: 'true' }, output: 'ok' },
  { say: 'done' },
  { result: {} },
];
const cuts = fuzzRuns(40);
/** Of so many cuts, one is resumed; in the others it is enough that the session can be written. */
const resumeEvery = cuts > 40 ? 100 : 20;

describe('a record cut off anywhere', function () {
  this.timeout(120_000 + cuts * 2000);
  const bench = new Bench();
  after(() => bench.close());

  it(`opens with its actual state and can be written, ${cuts} times`, async () => {
    const first = await bench.engine();
    const handle = await first.start(bench.request(steps));
    await waitForResult(handle);
    const { id } = handle;
    handle.dispose();
    for (const next of ['resume', 'startNewConversation'] as const) {
      const again = await first[next](id, { prompt: prompt(steps) });
      await waitForResult(again);
      again.dispose();
    }
    await first.dispose();
    const folder = path.join(bench.store, 'sessions', id);
    const file = path.join(folder, 'record.jsonl');
    const whole = path.join(bench.dir, 'whole');
    await cp(folder, whole, { recursive: true });
    const bytes = await readFile(file);
    // The header and the session are written before anybody knows of it.
    const from = bytes.indexOf('\n', bytes.indexOf('\n') + 1) + 1;
    let interrupted = 0;
    let resumed = 0;
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: from, max: bytes.length }), async (size) => {
        turn += 1;
        await rm(folder, { recursive: true });
        await cp(whole, folder, { recursive: true });
        await rm(path.join(folder, 'record.head'), { force: true });
        await truncate(file, size);
        const engine = await bench.engine();
        try {
          interrupted += (await engine.sweep()).interrupted.length;
          const opened = await engine.open(id);
          const { status, executor_session_ids: ids } = opened.summary();
          const known = opened
            .turns()
            .every((run) => !['pending', 'claimed', 'running', 'stopping'].includes(run.status));
          opened.dispose();
          assert.equal(isSessionLive(status), false, `after ${size} bytes`);
          assert.ok(known, `every run has an end, after ${size} bytes`);
          assert.equal((await engine.list())[0]?.status, status, `after ${size} bytes`);
          await engine.rename(id, `cut ${size}`);
          if (turn % resumeEvery !== 0) return;
          const next = ids.length > 0 ? engine.resume.bind(engine) : engine.startNewConversation.bind(engine);
          const again = await next(id, { prompt: prompt(steps) });
          assert.equal((await waitForResult(again)).success, true, `after ${size} bytes`);
          again.dispose();
          resumed += 1;
        } finally {
          await engine.dispose();
        }
      }),
      { numRuns: cuts, endOnFailure: true },
    );
    printFuzzTotals(
      `${cuts} cuts in ${bytes.length} bytes: ${interrupted} left a run or a session open, ${resumed} were resumed`,
    );
  });
});
