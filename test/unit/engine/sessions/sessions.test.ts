import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { SessionHandle } from '../../../../src/engine/api.ts';
import { EngineFailure } from '../../../../src/engine/failures/failures.ts';
import type { SessionSummary } from '../../../../src/model/session/summary.ts';
import { Bench, readEntries, waitForResult, prompt, waitForEntry } from '../../../support/fakeAgent/engine.ts';
import { skip } from '../../../support/skip.ts';

const forever = [{ init: true }, { say: 'waiting' }, { forever: true }];
const short = [{ init: true }, { say: 'one' }, { result: {} }];

/** Resolves once the summary is such a one. */
async function reported(handle: SessionHandle, isIt: (summary: SessionSummary) => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = (summary: SessionSummary): void => {
      if (isIt(summary)) resolve();
    };
    handle.onSummary(look);
    look(handle.summary());
  });
}

/** Random digits that call `begins` with the session's id when a run of it is given its own. */
function digitsThatTell(begins: (session: string) => void): (digits: number) => string {
  const requested: string[] = [];
  return (digits) => {
    const hex = randomBytes(digits).toString('hex').slice(0, digits);
    if (requested.push(hex) === 2) begins(`ses_${requested[0]}`);
    return hex;
  };
}

describe('a session whose run is about to start', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  for (const kill of [false, true]) {
    it(`is ${kill ? 'killed' : 'stopped'} when somebody asks for it, though nothing runs yet`, async () => {
      const engine = await bench.engine();
      const first = await engine.start(bench.request(short));
      await waitForResult(first);
      const stops: Promise<void>[] = [];
      engine.onSummary(({ status }) => {
        if (status === 'pending' && stops.length === 0) stops.push(engine.stop(first.id, { kill }));
      });
      const handle = await engine.resume(first.id, { prompt: prompt(forever) });
      await Promise.all(stops);
      assert.equal(stops.length, 1);
      assert.equal(handle.isLive(), false);
      assert.equal(handle.summary().status, 'stopped');
    });
  }

  it('starts nothing after shutdown, and is unchanged', async () => {
    const engine = await bench.engine();
    const { id, ...first } = await engine.start(bench.request(short));
    await first.done;
    const closings: Promise<void>[] = [];
    engine.onSummary(({ status }) => {
      if (status === 'pending') closings.push(engine.dispose());
    });
    await assert.rejects(engine.resume(id, { prompt: prompt(forever) }), { code: 'engine_closed' });
    await Promise.all(closings);
    const next = await bench.engine();
    const [listed] = await next.list();
    assert.deepEqual([listed?.status, listed?.outcome, listed?.runs], ['finished', 'completed', 1]);
    assert.equal((await waitForResult(await next.resume(id, { prompt: prompt(short) }))).success, true);
  });

  it('that is new starts nothing after shutdown, and can be resumed', async () => {
    const closings: Promise<void>[] = [];
    const randomHex = digitsThatTell(() => closings.push(engine.dispose()));
    const engine = await bench.engine({ randomHex });
    await assert.rejects(engine.start(bench.request(forever)), { code: 'engine_closed' });
    await Promise.all(closings);
    const next = await bench.engine();
    const [listed] = await next.list();
    assert.deepEqual([listed?.status, listed?.runs], ['stopped', 0]);
    await next.rename(listed?.session_id ?? '', 'Nobody has it');
  });

  it('stays open when another caller opens and closes it', async () => {
    const looks: Promise<void>[] = [];
    const randomHex = digitsThatTell((id) => looks.push(engine.open(id).then((handle) => handle.dispose())));
    const engine = await bench.engine({ randomHex });
    const handle = await engine.start(bench.request(forever));
    await Promise.all(looks);
    assert.equal(looks.length, 1);
    await engine.stop(handle.id);
    assert.equal(handle.isLive(), false);
  });
});

describe('a session that another process also has open', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  it('is followed while the other process runs it; resuming reports the conflict', async () => {
    const there = await bench.engine();
    const here = await bench.engine();
    const wait = { until: `${bench.dir}/go` };
    const steps = [{ init: true }, { say: 'one' }, wait, { say: 'two' }, { result: {} }];
    const running = await there.start(bench.request(steps));
    const { id } = running;
    await waitForEntry(running, 'one');
    await running.whenWritten();
    const looking = await here.open(id);
    assert.deepEqual([looking.isLive(), looking.summary().status], [false, 'running']);
    await assert.rejects(here.resume(id, { prompt: prompt(short) }), (error) => {
      assert.ok(EngineFailure.is(error, 'session_busy'));
      assert.match(
        error.detail,
        new RegExp(`^Process ${process.pid} on \\S+ is writing the record of this session\\.`),
      );
      return true;
    });
    await bench.go();
    await waitForResult(running);
    await reported(looking, ({ status }) => status === 'finished');
    assert.deepEqual(await readEntries(looking), await readEntries(running));
    // And resumes here, where it was only followed.
    const own = await here.resume(id, { prompt: prompt(short) });
    assert.equal((await waitForResult(own)).success, true);
    assert.equal(looking.entryCount(), own.entryCount());
  });

  it('is up to date when it is opened again', async () => {
    const there = await bench.engine();
    const here = await bench.engine();
    const { id, done } = await there.start(bench.request(short));
    await done;
    const looking = await here.open(id);
    const second = await there.resume(id, { prompt: prompt(short) });
    await waitForResult(second);
    const again = await here.open(id);
    assert.equal(again.summary().runs, 2);
    assert.deepEqual([looking.entryCount(), again.entryCount()], [second.entryCount(), second.entryCount()]);
  });

  it('accepts a change while a run starts', async () => {
    const engine = await bench.engine();
    const first = await engine.start(bench.request(short));
    await waitForResult(first);
    for (let turn = 0; turn < 5; turn += 1) {
      const resuming = engine.resume(first.id, { prompt: prompt(short) });
      await new Promise((resolve) => setTimeout(resolve, turn * 5));
      await engine.rename(first.id, `turn ${turn}`);
      const resumed = await resuming;
      assert.equal((await waitForResult(resumed)).success, true);
      assert.equal(resumed.summary().title, `turn ${turn}`);
      resumed.dispose();
    }
  });

  it('stays open if deletion failed', async () => {
    const there = await bench.engine();
    const here = await bench.engine();
    const first = await there.start(bench.request([{ init: true }, { until: `${bench.dir}/go` }, { result: {} }]));
    const looking = await here.open(first.id);
    await assert.rejects(here.remove(first.id), { code: 'session_busy' });
    await bench.go();
    await waitForResult(first);
    const running = await here.resume(first.id, { prompt: prompt(forever) });
    await assert.rejects(here.remove(first.id), { code: 'session_busy' });
    looking.dispose();
    await here.stop(first.id);
    assert.equal(running.isLive(), false);
  });

  it('keeps what could not be written', async function () {
    if (!existsSync('/dev/full')) skip(this, 'this system has no /dev/full');
    const engine = await bench.engine({ randomHex: (digits) => '0123456789abcdef'.slice(-digits) });
    const file = engine.recordPath('ses_456789abcdef');
    await mkdir(path.dirname(file), { recursive: true });
    await symlink('/dev/full', file);
    const first = await engine.start(bench.request(short));
    await waitForResult(first);
    const saved = await readEntries(first);
    assert.ok(saved.length > 2);
    const again = await engine.open(first.id);
    assert.deepEqual([again.entryCount(), again.summary().outcome], [saved.length, 'completed']);
    assert.deepEqual(await readEntries(again), saved);
  });
});
