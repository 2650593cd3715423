import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from '../../../src/engine/engine.ts';
import { parrot } from '../../example-agent/adapter.ts';
import { capturesIn, linesOfCapture, readBy } from '../../support/captures/agentCaptures.ts';
import { describeConformance } from '../../support/captures/conformance.ts';
import { Bench, readEntries, waitForResult, waitForEntry } from '../../support/fakeAgent/engine.ts';
import { assertGolden } from '../../support/captures/golden.ts';

const folder = 'test/example-agent';
const captures = capturesIn(path.join(folder, 'captures'));

/** The made-up agent of AGENTS.md: what stands there is enough for a working executor. */
describeConformance(parrot, captures);

describe('the example of an executor', () => {
  it('matches AGENTS.md, and is short', () => {
    const guide = readFileSync('AGENTS.md', 'utf8');
    assert.ok(guide.includes(folder));
    const lines = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length;
    const code = ['wire.ts', 'normalize.ts', 'command.ts', 'adapter.ts'];
    for (const name of [...code, 'README.md']) assert.ok(guide.includes(name), name);
    assert.ok(code.reduce((sum, name) => sum + lines(path.join(folder, name)), 0) < 150);
    assert.ok(lines('AGENTS.md') < 150);
  });

  for (const capture of captures) {
    it(`reads ${capture.name} as expected`, () => {
      assertGolden(`example-agent/${capture.name}`, readBy(parrot, linesOfCapture(capture), capture.exit).entries);
    });
  }

  describe('in the engine', () => {
    let bench: Bench;
    beforeEach(() => {
      bench = new Bench();
    });
    afterEach(() => bench.close());

    const engineWith = (): Promise<Engine> => {
      const program = path.resolve(folder, 'parrot.mjs');
      return bench.engine({ adapters: [parrot], settings: () => ({ agents: { [parrot.type]: { program } } }) });
    };
    const start = (engine: Engine, prompt: string) => engine.start({ agent: parrot.type, cwd: bench.cwd, prompt });

    it('is found, with its version', async () => {
      const [report] = await (await engineWith()).agents();
      assert.ok(report?.program !== null && report?.program !== undefined && 'path' in report.program);
      assert.equal(report.program.version, '1.2.0');
    });

    it('runs, and continues its conversation', async () => {
      const engine = await engineWith();
      const handle = await start(engine, 'peck a nut');
      const result = await waitForResult(handle);
      assert.equal(result.success, true, result.error);
      assert.deepEqual(result.metadata?.costProvenance, { provenance: 'reported', usd: 0.001 });
      assert.equal(result.metadata.usage.input, 12);
      assert.equal(handle.summary().model, 'macaw-1');

      const again = await engine.resume(handle.id, { prompt: 'And now?' });
      assert.match((await waitForResult(again)).data ?? '', /Before, you said: peck a nut/);
      assert.equal(again.summary().executor_session_ids.length, 1);
      assert.deepEqual(again.summary().total_cost, { provenance: 'reported', usd: 0.002 });
      const kinds = (await readEntries(again)).map(({ type }) => type.kind);
      assert.equal(kinds.filter((kind) => kind === 'tool_use').length, 1);
    });

    it('fails with its own reason', async () => {
      const handle = await start(await engineWith(), 'peck a stone');
      const result = await waitForResult(handle);
      assert.deepEqual([result.success, handle.summary().outcome], [false, 'failed']);
      assert.match(handle.summary().reason ?? '', /Squawk!/);
    });

    it('can be stopped', async () => {
      const engine = await engineWith();
      const handle = await start(engine, 'sleep');
      await waitForEntry(handle, 'Polly');
      await engine.stop(handle.id);
      assert.equal(handle.summary().status, 'stopped');
    });
  });
});
