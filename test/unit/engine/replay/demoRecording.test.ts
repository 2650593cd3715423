import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { Bench, readEntries, waitForResult, waitForEntry } from '../../../support/fakeAgent/engine.ts';

describe('replay', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  const contents = async (handle: Parameters<typeof readEntries>[0]): Promise<string[]> =>
    (await readEntries(handle)).map(({ content }) => content);

  it('plays turn by turn, and is marked as a recording', async () => {
    const engine = await bench.engine();
    const request = { agent: 'replay', cwd: bench.cwd, prompt: 'What is in the file?' } as const;
    const handle = await engine.start(request);
    const first = await waitForResult(handle);
    assert.equal(first.success, true, first.error);
    assert.deepEqual(first.metadata?.costProvenance, { provenance: 'reported', usd: 0.02 });
    assert.equal(handle.summary().recording, true);
    assert.equal(handle.summary().agent_label, 'Demo (recording)');
    assert.match((await contents(handle))[1] ?? '', /Recording of Claude Code 2\.1\.197 from 2026-11-20/);
    assert.ok((await contents(handle)).includes('It says hello.'));

    await waitForResult(await engine.resume(handle.id, { prompt: 'Something else' }));
    const all = await contents(handle);
    assert.ok(all.includes('Still hello.'));
    assert.ok(all.some((content) => content.includes('was the answer to: And now?')));
    assert.deepEqual(handle.summary().total_cost, { provenance: 'reported', usd: 0.03 });

    const last = await engine.resume(handle.id, { prompt: 'More' });
    assert.match((await contents(last)).at(-1) ?? '', /The recording has ended/);
    assert.equal(last.summary().outcome, 'completed');
    assert.deepEqual(last.summary().total_cost, { provenance: 'reported', usd: 0.03 });
    assert.deepEqual(await readdir(bench.cwd), []);
    const again = await (await bench.engine()).open(handle.id);
    assert.equal(again.summary().status, 'finished');
    assert.equal(again.turns().length, 3);
    again.dispose();
  });

  it('plays at the selected speed, and can be stopped', async () => {
    const engine = await bench.engine({ settings: () => ({ replaySpeed: 1 }) });
    const handle = await engine.start({ agent: 'replay', cwd: bench.cwd, prompt: 'What is in the file?' });
    await waitForResult(handle);
    const second = await engine.resume(handle.id, { prompt: 'And now?' });
    await waitForEntry(second, 'Claude Code');
    await engine.stop(handle.id);
    assert.equal(second.summary().status, 'stopped');
    assert.ok(!(await contents(second)).includes('Still hello.'));
  });

  it('explains a missing recording', async () => {
    const engine = await bench.engine({ demoDir: bench.dir });
    const start = engine.start({ agent: 'replay', cwd: bench.cwd, prompt: 'x' });
    await assert.rejects(start, { code: 'recording_missing' });
  });

  it('plays the shipped recording', async () => {
    const engine = await bench.engine({ demoDir: 'media/demo' });
    const handle = await engine.start({ agent: 'replay', cwd: bench.cwd, prompt: 'Go' });
    const result = await waitForResult(handle);
    assert.equal(result.success, true, result.error);
    assert.equal(result.metadata?.lines.unknown, 0);
    assert.equal(result.metadata.lines.malformed, 0);
  });
});
