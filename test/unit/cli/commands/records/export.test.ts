import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { exportCommand } from '../../../../../src/cli/commands/records/export.ts';
import type { CliContext } from '../../../../../src/cli/command.ts';
import { stopDaemon } from '../../../../support/daemon/stop.ts';
import { aSession, appendAll, sessionId, temporaryStore, wholeSession } from '../../../../support/sessions/records.ts';

describe('vitrine export', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  beforeEach(async () => {
    place = await temporaryStore();
    const writer = await place.store.create(aSession());
    await appendAll(writer, wholeSession(30).slice(2));
    await writer.close();
  });
  afterEach(async () => {
    await stopDaemon(place.dir);
    await place.remove();
  });

  const run = (args: readonly string[], onInterrupt: CliContext['onInterrupt']): Promise<number> => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    stdout.resume();
    const context = { stdin, stdout, stderr, cwd: place.dir, now: () => 0, env: {}, onInterrupt };
    return exportCommand.run(['--format', 'markdown', sessionId, '--store', place.dir, ...args], context);
  };

  it('leaves the file unchanged when interrupted, and no temporary files', async () => {
    await writeFile(path.join(place.dir, 'out.md'), 'old');
    const before = await readdir(place.dir);
    let listening = 0;
    const interrupts: CliContext['onInterrupt'] = (listener) => {
      listening += 1;
      queueMicrotask(() => listener('interrupt'));
      return () => (listening = 0);
    };
    assert.equal(await run(['--out', 'out.md'], interrupts), 130);
    assert.equal(await readFile(path.join(place.dir, 'out.md'), 'utf8'), 'old');
    assert.deepEqual(await readdir(place.dir), before);
    assert.equal(listening, 0);
    assert.equal(await run(['--out', 'out.md'], () => () => undefined), 0);
    assert.match(await readFile(path.join(place.dir, 'out.md'), 'utf8'), /Entry 2/);
  });

  it('to stdout ends like any process', async () => {
    const none = (): never => assert.fail('nothing is to be put back');
    assert.equal(await run([], none), 0);
  });
});
