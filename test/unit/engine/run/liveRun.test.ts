import assert from 'node:assert/strict';
import { FileRecordWriter } from '../../../../src/engine/record/write/recordWriter.ts';
import type { RecordLine } from '../../../../src/formats/record.ts';
import { Bench, waitForResult, prompt } from '../../../support/fakeAgent/engine.ts';

const steps = [{ init: true }, { say: 'hello' }, { result: {} }];

/** Sees every batch before it is written. */
function watchWrites(see: (lines: readonly RecordLine[]) => void): () => void {
  const writers = FileRecordWriter.prototype;
  const write: unknown = Reflect.get(writers, 'appendAll');
  assert.ok(typeof write === 'function');
  const watched = function (this: unknown, lines: readonly RecordLine[]): unknown {
    see(lines);
    return Reflect.apply(write, this, [lines]);
  };
  Reflect.set(writers, 'appendAll', watched);
  return () => Reflect.set(writers, 'appendAll', write);
}

describe('a run and its record', function () {
  let bench: Bench;
  let unwatch: () => void = () => undefined;
  beforeEach(() => (bench = new Bench()));
  afterEach(async () => {
    unwatch();
    await bench.close();
  });

  it('change together, by one write each time', async () => {
    const engine = await bench.engine();
    const batches: string[] = [];
    unwatch = watchWrites((lines) => {
      const said = lines.flatMap((line) =>
        line.kind === 'run'
          ? [`run ${line.run.status}`]
          : line.kind === 'session'
            ? [`session ${line.session.status}`]
            : line.kind === 'summary'
              ? ['summary']
              : [],
      );
      if (lines.some(({ kind }) => kind === 'run')) batches.push(said.join(', '));
    });
    const handle = await engine.start(bench.request(steps));
    assert.equal((await waitForResult(handle)).success, true);
    handle.dispose();
    assert.deepEqual(batches, [
      'session pending, run pending, run claimed, summary',
      'run running, session running',
      'run completed, session finished, summary',
    ]);
  });

  it('are released if the end cannot be written, and recovery completes it', async () => {
    const engine = await bench.engine();
    unwatch = watchWrites((lines) => {
      if (lines.some((line) => line.kind === 'run' && line.run.status === 'completed')) throw new Error('no end');
    });
    const handle = await engine.start(bench.request(steps));
    const result = await waitForResult(handle);
    assert.equal(result.success, false);
    assert.match(result.error ?? '', /no end/);
    await engine.stop(handle.id);
    assert.equal(handle.summary().status, 'stopped');
    unwatch();
    const resumed = await engine.resume(handle.id, { prompt: prompt(steps) });
    assert.equal((await waitForResult(resumed)).success, true);
    assert.equal(resumed.turns().length, 2);
    assert.equal((await engine.archive.verify(handle.id)).verdict, 'intact');
    resumed.dispose();
    handle.dispose();
  });

  it('are released if not even the start can be written', async () => {
    const engine = await bench.engine();
    unwatch = watchWrites((lines) => {
      if (lines.some(({ kind }) => kind === 'run')) throw new Error('no beginning');
    });
    await assert.rejects(engine.start(bench.request(steps)), /no beginning/);
    unwatch();
    const [listed] = await engine.list();
    assert.ok(listed !== undefined);
    const again = await engine.startNewConversation(listed.session_id, { prompt: prompt(steps) });
    assert.equal((await waitForResult(again)).success, true);
    again.dispose();
  });
});
