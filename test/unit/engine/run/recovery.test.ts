import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { Bench, waitForResult, prompt } from '../../../support/fakeAgent/engine.ts';

describe('a run that was killed after its result', () => {
  const bench = new Bench();
  after(() => bench.close());
  const costs = (usd: number) => [{ init: true }, { say: 'done' }, { result: { usd, text: 'done' } }];

  it('counts once, and keeps the usage of each message', async () => {
    const engine = await bench.engine();
    const handle = await engine.start(bench.request(costs(0.3)));
    await waitForResult(handle);
    await engine.resume(handle.id, { prompt: prompt(costs(0.5)) }).then(waitForResult);
    const { total_cost: cost, total_usage: usage, turns } = handle.summary();
    const messages = await handle.messages();
    assert.equal(messages.length, 2);
    const file = engine.recordPath(handle.id);
    handle.dispose();
    await engine.dispose();

    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const last = lines.findLastIndex((line) => line.includes('"kind":"result"'));
    await writeFile(file, `${lines.slice(0, last + 1).join('\n')}\n`);
    const next = await bench.engine();
    await next.sweep();
    const recovered = await next.open(handle.id);
    const summary = recovered.summary();
    assert.equal(summary.outcome, 'interrupted');
    assert.deepEqual([summary.total_cost, summary.total_usage, summary.turns], [cost, usage, turns]);
    assert.deepEqual(await recovered.messages(), messages);
  });
});
