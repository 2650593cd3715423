import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from '../../../../src/cli/command.ts';
import { doctor } from '../../../../src/cli/commands/doctor.ts';
import { sessions } from '../../../../src/cli/commands/sessions.ts';
import { usage } from '../../../../src/cli/commands/usage.ts';
import { localDay } from '../../../../src/engine/usage/localDay.ts';
import { usageReport } from '../../../../src/insight/usage/usageReport.ts';
import { englishNumbers } from '../../../../src/text/numberFormat.ts';
import { findNoise } from '../../../support/captures/recordedSession.ts';
import { recordedStore } from '../../../support/captures/recordedStore.ts';

describe('figures of recorded sessions on the command line', function () {
  this.timeout(240_000);
  let store: Awaited<ReturnType<typeof recordedStore>>;
  before(async () => (store = await recordedStore('/project')));
  after(() => store.remove());

  const run = async (command: Command, args: readonly string[]): Promise<string> => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    stderr.resume();
    const now = (): number => Date.parse(store.last);
    const env = { HOME: store.dir, PATH: '' };
    const context = { stdin, stdout, stderr, cwd: store.dir, now, env, onInterrupt: () => () => undefined };
    const out = text(stdout);
    await command.run([...args, '--store', store.dir], context).finally(() => stdout.end());
    return await out;
  };

  it('have no noise in lists, totals and Doctor', async () => {
    const texts = {
      sessions: await run(sessions, []),
      doctor: await run(doctor, []),
      days: await run(usage, ['--by', 'day']),
      agents: await run(usage, ['--by', 'agent']),
      models: await run(usage, ['--by', 'model']),
      line: await run(usage, ['--line']),
    };
    assert.equal(texts.sessions.trim().split('\n').length, store.sessions.length);
    const printed = store.sessions.map((session) => session.printed).join('\n');
    const found = Object.entries(texts).flatMap(([name, shown]) =>
      findNoise(shown, printed).map((noise) => `${name}: ${noise}`),
    );
    assert.deepEqual(found, []);
  });

  it('add up to the same total by day, agent and model as in the usage view', async () => {
    const { runSpending } = await store.reading.archive.spending();
    const today = localDay(store.last);
    const { total, agents } = usageReport(runSpending, today.slice(0, 7), today, localDay);
    const shown = (usd: number | null): string => englishNumbers.money(usd ?? 0);
    for (const by of ['day', 'agent', 'model']) {
      const sum = (await run(usage, ['--by', by])).trim().split('\n').at(-1) ?? '';
      assert.match(sum, /^total /);
      assert.ok(sum.includes(`${shown(total.usd)}+`), `${by}: ${sum}, not ${shown(total.usd)}`);
      assert.ok(sum.endsWith(`  ${total.sessions} sessions`), sum);
    }
    const lines = (await run(usage, ['--by', 'agent'])).split('\n');
    for (const { key, usd } of agents) {
      const line = lines.find((candidate) => candidate.startsWith(key)) ?? '';
      assert.ok(usd === null ? line.includes('cost unknown') : line.includes(shown(usd)), `${key}: ${line}`);
    }
  });
});
