import assert from 'node:assert/strict';
import { spawnAgent } from '../../../../src/engine/process/spawn.ts';
import { platformVariables } from '../../../support/platform.ts';

async function text(stream: AsyncIterable<unknown>): Promise<string> {
  let whole = '';
  for await (const chunk of stream) whole += String(chunk);
  return whole;
}

describe('output of a process', () => {
  it('is available after the process has exited', async () => {
    const script = 'process.stdout.write("said".repeat(1000)); process.stderr.write("why"); process.exit(3)';
    const spawned = await spawnAgent({
      path: process.execPath,
      args: ['-e', script],
      cwd: process.cwd(),
      env: platformVariables,
      stdin: '',
    });
    assert.equal((await spawned.exit).code, 3);
    // Node flushes the pipes of a process that is gone in later turns of the loop.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    assert.deepEqual(await Promise.all([text(spawned.stdout), text(spawned.stderr)]), ['said'.repeat(1000), 'why']);
  });
});
