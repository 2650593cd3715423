import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Bench, waitForResult, waitForEntry } from '../../../support/fakeAgent/engine.ts';

/** So many that some come between the last line of a run and the return of its writer. */
const maxNotes = 300;

describe('an export', () => {
  const bench = new Bench();
  after(() => bench.close());

  it('is recorded for a session in this process, and a warning for a session elsewhere', async () => {
    const here = await bench.engine();
    const warnings: string[] = [];
    const quiet = (): void => undefined;
    const warn = (message: string): void => void warnings.push(message);
    const others = await bench.engine({ log: { debug: quiet, info: quiet, warn, error: quiet } });
    const handle = await here.start(
      bench.request([{ init: true }, { say: 'one' }, { until: path.join(bench.dir, 'go') }, { result: {} }]),
    );
    await waitForEntry(handle, 'one');
    const out = path.join(bench.dir, 'out.csv');
    const request = { format: 'csv', redact: true };
    const reports = [
      await others.archive.exportToFile(handle.id, request, out),
      await here.archive.exportToFile(handle.id, request, out),
    ];
    await bench.go();
    await waitForResult(handle);
    const record = await readFile(here.recordPath(handle.id), 'utf8');
    assert.deepEqual(
      reports.map((report) => record.includes(report?.key ?? 'none')),
      [false, true],
    );
    assert.equal(
      warnings.filter((warning) => warning.startsWith(`The record of ${handle.id} does not include the export`)).length,
      1,
      warnings.join(),
    );
    handle.dispose();
  });

  it('is recorded at whatever moment of the end of a run it comes', async () => {
    const engine = await bench.engine();
    const handle = await engine.start(bench.request([{ init: true }, { say: 'one' }, { result: {} }]));
    const run = { isOver: false };
    void handle.done.then(() => (run.isOver = true));
    const noted: Promise<void>[] = [];
    const ending = new Promise<void>((resolve) => {
      engine.onSummary(({ session_id, outcome: came }) => {
        if (session_id === handle.id && came === 'completed') resolve();
      });
    });
    await ending;
    for (let n = 0; !run.isOver && n < maxNotes; n += 1) {
      const at = new Date(n).toISOString();
      noted.push(engine.archive.noteExport(handle.id, { type: 'export', at, format: 'csv', redacted: true }));
      await setImmediate();
    }
    await Promise.all(noted);
    handle.dispose();
    const record = await readFile(engine.recordPath(handle.id), 'utf8');
    assert.equal(record.match(/"type":"export"/g)?.length, noted.length);
  });
});
