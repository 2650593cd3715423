import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { comparisonSchema } from '../../../src/model/race/comparison.ts';
import { raceSchema } from '../../../src/model/race/race.ts';
import { DaemonBench } from '../../support/daemon/bench.ts';
import { fakeAgent, prompt } from '../../support/fakeAgent/engine.ts';
import { noLeftovers, UserRepository } from '../../support/race/repository.ts';
import { until } from '../../support/until.ts';

/** 3 by default, 50 with VITRINE_KILLS=300. */
const kills = Math.ceil(Number(process.env['VITRINE_KILLS'] ?? 15) / 6);

const steps = prompt([
  { init: true },
  { shell: 'sed -i "s/two/$VITRINE_LANE/" story.txt; echo new > new.txt' },
  { wait: 300 },
  { result: {} },
]);

describe('a race whose processes are killed', function () {
  this.timeout(300_000 + kills * 30_000);
  let place: DaemonBench;
  let user: UserRepository;

  beforeEach(() => {
    place = new DaemonBench();
    user = new UserRepository(place.bench.cwd);
  });
  afterEach(() => place.close());

  async function vitrine(...args: string[]) {
    const { code, stdout, stderr } = await place.vitrine(...args).ended;
    assert.equal(code, 0, stderr);
    return stdout;
  }

  /** None before the first race. */
  function raceFiles(): string[] {
    const folder = path.join(place.store, 'races');
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  async function killDaemon(): Promise<void> {
    const connection = await place.connectRunning();
    if (connection !== null) process.kill(connection.daemon.pid, 'SIGKILL');
    await connection?.closed;
  }

  /** Removes what is left, as a user would, and checks that nothing stays. */
  async function cleanAll(): Promise<number> {
    const listed = (await vitrine('race', 'list', '--json')).split('\n').filter(Boolean);
    for (const line of listed) {
      const { race_id: id, state, lanes } = raceSchema.parse(JSON.parse(line));
      assert.notEqual(state, 'running');
      // Without force, work of agents stays.
      const { code } = await place.vitrine('race', 'clean', id).ended;
      if (code !== 0) {
        assert.ok(lanes.some(({ started }) => started));
        await vitrine('race', 'clean', id, '--force');
      }
    }
    assert.deepEqual(user.leftovers(), noLeftovers);
    assert.deepEqual(raceFiles(), []);
    return listed.length;
  }

  it(`${kills} times at random moments loses no work, and leaves nothing that cannot be removed`, async () => {
    await vitrine('race', 'list');
    const before = user.state();
    let found = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const command = place.vitrine(
        ...['race', '--agents', 'claude,claude', '--program', `claude=${fakeAgent}`, '--check', 'sleep 0.2', steps],
      );
      // From before its first file until after its end; half of them when there is a file.
      if (kill % 2 === 1) await until('the file of the race', () => raceFiles().some((name) => name.endsWith('.json')));
      await delay(Math.random() * 3500);
      await killDaemon();
      command.process.kill('SIGKILL');
      await command.ended;
      assert.deepEqual(user.state(), before);
      found += await cleanAll();
      assert.deepEqual(user.state(), before);
    }
    assert.ok(found > 0, 'at least one race had begun');
  });

  it('while a result is applied leaves files that an undo restores', async () => {
    const before = user.state();
    const args = ['race', '--agents', 'claude', '--program', `claude=${fakeAgent}`, '--json', steps];
    const { race_id: id } = comparisonSchema.parse(JSON.parse(await vitrine(...args)));
    const rounds = Math.max(2, Math.ceil(kills / 2));
    for (let round = 0; round < rounds; round += 1) {
      const command = place.vitrine('race', 'apply', id ?? '', 'claude-code');
      await delay(150 + Math.random() * 500);
      await killDaemon();
      await command.ended;
      const undone = await place.vitrine('race', 'undo', id ?? '').ended;
      // Nothing to undo: it had not begun.
      if (undone.code !== 0) assert.match(undone.stderr, /nothing to undo/);
      assert.deepEqual(user.state(), before);
    }
    await cleanAll();
    assert.deepEqual(user.state(), before);
  });
});
