import assert from 'node:assert/strict';
import { hasDemands, isWithin, meetsDemands, mergeDemands } from '../../../src/coordinator/demands.ts';
import { CoordinatorError, type CoordinatorErrorCode } from '../../../src/coordinator/errors.ts';
import { demandsSchema } from '../../../src/model/session/demands.ts';
import type { Runner } from '../../../src/model/session/runner.ts';
import { StillCoordinator } from '../../support/queue/coordinator.ts';

const refused = (code: CoordinatorErrorCode) => (error: unknown) => CoordinatorError.is(error, code);
const demands = (input: object) => demandsSchema.parse(input);

describe('demands', () => {
  const runner: Runner = {
    runner_id: 'lnch_000000000000',
    registered_at: '',
    last_heartbeat: '',
    hostname: 'builder',
    project_dir: '/srv/app',
    executor_type: 'codex',
    tags: ['gpu', 'web'],
  };

  it('match properties exactly and require all tags', () => {
    const cases: readonly [object, boolean][] = [
      [{}, true],
      [{ hostname: 'builder' }, true],
      [{ hostname: 'Builder' }, false],
      [{ hostname: 'build' }, false],
      [{ project_dir: '/srv/app' }, true],
      [{ project_dir: '/srv/app/' }, false],
      [{ executor_type: 'codex' }, true],
      [{ executor_type: 'claude-code' }, false],
      [{ tags: ['gpu'] }, true],
      [{ tags: ['web', 'gpu'] }, true],
      [{ tags: ['gpu', 'mac'] }, false],
      [{ hostname: 'builder', tags: ['mac'] }, false],
      [{ hostname: 'other', tags: ['gpu'] }, false],
    ];
    for (const [input, expected] of cases) {
      assert.equal(meetsDemands(runner, demands(input)), expected, JSON.stringify(input));
    }
    assert.equal(meetsDemands(runner, undefined), true);
    const folders: readonly [demanded: string, of: string, boolean][] = [
      ['C:\\App', 'c:\\App', true],
      ['c:\\App', 'C:\\App', true],
      ['C:\\app', 'C:\\App', false],
      ['/C:/app', '/c:/app', false],
    ];
    for (const [project_dir, of, expected] of folders)
      assert.equal(
        meetsDemands({ ...runner, project_dir: of }, demands({ project_dir })),
        expected,
        `${project_dir} ${of}`,
      );
  });

  it("do not override a runner's own limitation to folders", () => {
    const within = ['/srv/app', 'C:\\app'];
    const cases: readonly [string | undefined, boolean][] = [
      [undefined, true],
      ['/srv/app', true],
      ['/srv/app/src', true],
      ['C:\\app\\src', true],
      ['/srv/apple', false],
      ['/srv', false],
      ['/srv/app/../other', false],
      ['c:\\app\\src', true],
      ['c:/app', false],
      ['C:\\App', false],
      ['D:\\app', false],
    ];
    for (const [folder, expected] of cases) assert.equal(isWithin(folder, within), expected, folder);
    const roots: readonly [folder: string, root: string, boolean][] = [
      ['/x', '/', true],
      ['/', '/', true],
      ['/srv/app/src', '/srv/app/', true],
      ['/srv/apple', '/srv/app/', false],
      ['C:\\x', 'c:\\', true],
      ['c:\\', 'C:\\', true],
      ['D:\\x', 'C:\\', false],
    ];
    for (const [folder, root, expected] of roots) assert.equal(isWithin(folder, [root]), expected, `${folder} ${root}`);
    assert.equal(isWithin('/anywhere', undefined), true);
    const coordinator = new StillCoordinator();
    const runnerRef = coordinator.register({ within: ['/w'] });
    coordinator.create({ project_dir: '/elsewhere' });
    const here = coordinator.create({ project_dir: '/w/src' });
    assert.equal(coordinator.core.claim(runnerRef)?.run.run_id, here.run_id);
  });

  it('of agent file and run are combined', () => {
    assert.deepEqual(
      mergeDemands(demands({ hostname: 'a', tags: ['x'] }), demands({ project_dir: '/p', tags: ['y', 'x'] })),
      {
        hostname: 'a',
        project_dir: '/p',
        tags: ['x', 'y'],
      },
    );
    assert.deepEqual(mergeDemands(undefined, demands({ tags: ['x'] })), { tags: ['x'] });
    assert.deepEqual(mergeDemands(demands({ hostname: 'a' }), demands({ hostname: 'a' })), { hostname: 'a', tags: [] });
    assert.deepEqual(mergeDemands(demands({ project_dir: 'C:\\w' }), demands({ project_dir: 'c:\\w' })), {
      project_dir: 'c:\\w',
      tags: [],
    });
    assert.throws(() => mergeDemands(demands({ hostname: 'a' }), demands({ hostname: 'b' })), refused('contradiction'));
  });

  it('are empty if nothing is demanded', () => {
    assert.equal(hasDemands(undefined), false);
    assert.equal(hasDemands(demands({})), false);
    assert.equal(hasDemands(demands({ tags: ['x'] })), true);
    assert.equal(hasDemands(demands({ executor_type: 'codex' })), true);
  });
});
