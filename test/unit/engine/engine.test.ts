import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CoordinatorEvent } from '../../../src/model/transcript/event.ts';
import { Bench, readEntries, waitForResult, prompt, waitForEntry } from '../../support/fakeAgent/engine.ts';

const turn = (words: string, usd: number) => [
  { init: true },
  { tool: { id: `call_${words}`, command: 'ls' } },
  { toolResult: { id: `call_${words}`, text: 'a\nb' } },
  { say: words },
  { result: { usd, text: words } },
];

const eventLine = (event: CoordinatorEvent): string => JSON.stringify({ kind: 'event', event });

describe('engine', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  it('runs an agent from the prompt to the result, and records everything', async () => {
    const engine = await bench.engine();
    const events: CoordinatorEvent[] = [];
    engine.onEvent((event) => events.push(event));
    const handle = await engine.start(bench.request(turn('hello', 0.25)));
    const result = await waitForResult(handle);

    assert.equal(result.success, true, JSON.stringify(result));
    assert.equal(result.data, 'hello');
    assert.equal(result.metadata?.cost, 0.25);
    const summary = handle.summary();
    assert.equal(summary.status, 'finished');
    assert.equal(summary.outcome, 'completed');
    assert.equal(summary.agent_version, '2.1.197');
    assert.deepEqual(summary.executor_session_ids, [summary.executor_session_id]);
    const kinds = (await readEntries(handle)).map(({ index, type }) => `${index} ${type.kind}`);
    assert.deepEqual(kinds, [
      '0 user_message',
      '1 system_message',
      '2 tool_use',
      '3 assistant_message',
      '4 system_message',
    ]);
    const [first] = handle.turns();
    assert.equal(first?.status, 'completed');
    assert.equal(first.steps, 1);
    assert.equal(first.usd, 0.25);
    assert.deepEqual(
      events.map((event) => event.event_type),
      ['session_start', 'message', 'pre_tool', 'post_tool', 'message', 'session_stop'],
    );
    const stop = events.at(-1);
    assert.ok(stop?.event_type === 'session_stop');
    assert.deepEqual([stop.exit_code, stop.reason], [0, 'completed']);
    const raw = await readFile(handle.rawPath(first.runId).stdout, 'utf8');
    assert.equal(raw.trim().split('\n').length, 5);
    handle.dispose();

    const again = await (await bench.engine()).open(summary.session_id);
    assert.deepEqual(
      (await readEntries(again)).map(({ index, type }) => `${index} ${type.kind}`),
      kinds,
    );
    assert.equal(again.summary().total_cost.provenance, 'reported');
    assert.deepEqual(await again.find('hello', 10), { indexes: [0, 3], truncated: false });
    again.dispose();
  });

  it('records each message once, and derives the same events from a record', async () => {
    const engine = await bench.engine();
    const reported: CoordinatorEvent[] = [];
    engine.onEvent((event) => reported.push(event));
    const handle = await engine.start(bench.request(turn('hello', 0.25)));
    await waitForResult(handle);
    const next = await engine.resume(handle.id, { prompt: prompt(turn('again', 0.5)) });
    await waitForResult(next);
    const exportedEvents = async (): Promise<unknown[]> => {
      const chunks: string[] = [];
      const { chunks: all } = await engine.archive.export(handle.id, { format: 'events', redact: false });
      for await (const chunk of all) chunks.push(chunk);
      return chunks
        .join('')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    };
    assert.equal(reported.length, 12);
    assert.deepEqual(await exportedEvents(), JSON.parse(JSON.stringify(reported)));
    const file = engine.recordPath(handle.id);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    assert.equal(lines.filter((line) => line.includes('a\\nb')).length, 2, 'what a call gave in each run');
    const said = lines.filter((line) => /^\{"kind":"(?:entry|event)"/.test(line) && line.includes('"content":"again"'));
    assert.equal(said.length, 1, 'what was said');

    // As earlier versions wrote it: no mark at the run, and a line for each event.
    const before = lines.filter((line) => !line.startsWith('{"kind":"event"'));
    const old = [...before.map((line) => line.replace('"events_from":"entries",', '')), ...reported.map(eventLine)];
    await writeFile(file, `${old.join('\n')}\n`);
    assert.deepEqual(await exportedEvents(), JSON.parse(JSON.stringify(reported)));
  });

  it('resumes by the newest id, and adds up totals', async () => {
    const engine = await bench.engine();
    const handle = await engine.start(bench.request(turn('one', 0.25)));
    await waitForResult(handle);
    const id = handle.summary().executor_session_id;
    const second = await engine.resume(handle.id, { prompt: prompt([{ unknownUnless: id }, ...turn('two', 0.5)]) });
    const result = await waitForResult(second);
    assert.equal(result.success, true, result.error);
    assert.equal(result.metadata?.totalCost, 0.75);
    const indexes = (await readEntries(second)).map(({ index }) => index);
    assert.deepEqual(indexes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.deepEqual(
      second.turns().map(({ firstIndex, usd }) => [firstIndex, usd]),
      [
        [0, 0.25],
        [5, 0.5],
      ],
    );
  });

  it('has one run per session, and many sessions', async () => {
    const engine = await bench.engine();
    const steps = [{ init: true }, { say: 'waiting' }, { forever: true }];
    const [a, b] = await Promise.all([engine.start(bench.request(steps)), engine.start(bench.request(steps))]);
    await Promise.all([waitForEntry(a, 'waiting'), waitForEntry(b, 'waiting')]);
    await assert.rejects(engine.resume(a.id, { prompt: '[{}]' }), { code: 'session_busy' });
    const other = await bench.engine();
    await assert.rejects(other.resume(a.id, { prompt: '[{}]' }), { code: 'session_busy' });
    await engine.stop(a.id);
    assert.equal(a.summary().status, 'stopped');
    assert.equal(b.isLive(), true);
    await engine.stop(b.id);
    assert.equal(b.turns()[0]?.status, 'stopped');
  });

  it('renames, hides and removes', async () => {
    const engine = await bench.engine();
    const handle = await engine.start(bench.request(turn('x', 0.1)));
    await waitForResult(handle);
    await engine.rename(handle.id, 'A better name');
    assert.equal(handle.summary().title, 'A better name');
    await engine.setHidden(handle.id, true);
    const [listed] = await (await bench.engine()).list();
    assert.equal(listed?.title, 'A better name');
    assert.equal(listed.hidden, true);
    assert.equal(listed.cost.provenance, 'reported');
    handle.dispose();
    await engine.remove(handle.id);
    assert.deepEqual(await engine.list(), []);
    await assert.rejects(engine.open(handle.id), { code: 'session_missing' });
  });
});

describe('a session in two windows', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  it('is followed by the other window', async function () {
    const go = path.join(bench.dir, 'go');
    const here = await bench.engine();
    const steps = [{ init: true }, { say: 'before' }, { until: go }, { say: 'after' }, { result: { usd: 0.5 } }];
    const running = await here.start(bench.request(steps));
    await waitForEntry(running, 'before');
    const there = await (await bench.engine()).open(running.id);
    assert.equal(there.summary().status, 'running');
    assert.equal(there.isLive(), false);
    const over = new Promise<void>((resolve) => {
      there.onSummary(({ status }) => {
        if (status === 'finished') resolve();
      });
    });
    await writeFile(go, '');
    await waitForResult(running);
    await over;
    assert.deepEqual(await readEntries(there), await readEntries(running));
    assert.deepEqual(there.summary().total_cost, { provenance: 'reported', usd: 0.5 });
    there.dispose();
  });

  it('counts readable and unreadable lines over all runs', async () => {
    const engine = await bench.engine();
    const odd = [{ init: true }, { print: 'not json\n{"type":"from_the_future"}\n' }, { result: {} }];
    const handle = await engine.start(bench.request(odd));
    await waitForResult(handle);
    await waitForResult(await engine.resume(handle.id, { prompt: prompt(odd) }));
    const { rawBytes, ...lines } = handle.sizes();
    assert.deepEqual(lines, { unknownLines: 2, malformedLines: 2 });
    const again = await (await bench.engine()).open(handle.id);
    assert.deepEqual(again.sizes(), { rawBytes, ...lines });
    again.dispose();
  });

  it('accepts a prompt that the agent does not read', async () => {
    const engine = await bench.engine();
    const handle = await engine.start({
      ...bench.request([]),
      prompt: 'x'.repeat(4 << 20),
      options: { model: 'deaf' },
    });
    assert.equal((await waitForResult(handle)).success, false);
  });
});
