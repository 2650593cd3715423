import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UsageError } from '../../../../src/cli/command.ts';
import { usage } from '../../../../src/cli/commands/usage.ts';
import { isObject } from '../../../../src/model/text/json.ts';
import { temporaryStore } from '../../../support/sessions/records.ts';
import { captureFile, truthOf } from '../../../support/stores/homes.ts';

const name = 'claude-code-2.1.330/print-tools';

describe('usage on the command line', () => {
  let place: Awaited<ReturnType<typeof temporaryStore>>;
  beforeEach(async () => {
    place = await temporaryStore();
  });
  afterEach(() => place.remove());

  const run = async (args: readonly string[], now = Date.parse('2026-11-24T12:00:00Z')): Promise<string> => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    stderr.resume();
    const env = { HOME: captureFile(name, 'home') };
    const context = { stdin, stdout, stderr, cwd: place.dir, now: () => now, env, onInterrupt: () => () => undefined };
    const out = text(stdout);
    const code = await usage.run([...args, '--store', place.dir], context).finally(() => stdout.end());
    assert.equal(code, 0);
    return await out;
  };

  it('adds up sessions from other programs by day, model and agent', async () => {
    const { truth } = truthOf(name);
    const lines = (await run(['--json']))
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    assert.equal(lines.length, 2);
    const [day, total] = lines;
    assert(isObject(day) && isObject(total) && isObject(total['usage']));
    assert.match(String(day['key']), /^2026-11-2\d$/);
    assert.equal(total['key'], 'total');
    assert.equal(total['usage']['output'], (truth.onDisk ?? truth.turns).output);
    assert.match(await run(['--by', 'agent']), /^Claude Code +~?\$0\.\d+ .* tokens  1 session$/m);
    assert.match(await run(['--by', 'model']), /^claude-\S+ /);
  });

  it('prints one line for a shell prompt, without other programs on request', async () => {
    assert.match(await run(['--line'], Date.parse('2026-11-23T22:40:00Z')), /^~?\$0\.\d+ today\n$/);
    assert.equal(await run(['--line'], Date.parse('2027-05-01T12:00:00Z')), '$0.00 today\n');
    assert.equal((await run(['--own', '--json'])).trim().split('\n').length, 1);
    assert.match(await run(['--days', '0']), /total/);
    assert.match(await run(['--days', '1'], Date.parse('2027-05-01T12:00:00Z')), /^total +\$0\.00/);
  });

  it('rejects unknown options', async () => {
    await assert.rejects(run(['--by', 'week']), (error) => UsageError.is(error));
    await assert.rejects(run(['--days', 'x']), (error) => UsageError.is(error));
  });
});
