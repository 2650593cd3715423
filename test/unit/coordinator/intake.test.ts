import assert from 'node:assert/strict';
import { parseInput } from '../../../src/coordinator/acceptedRuns.ts';
import { createRunSchema } from '../../../src/coordinator/api.ts';
import { CoordinatorError } from '../../../src/coordinator/errors.ts';
import { StillCoordinator } from '../../support/queue/coordinator.ts';

const full = (error: unknown): boolean => CoordinatorError.is(error, 'full');

describe('input of the queue', () => {
  it('is validated', () => {
    const still = new StillCoordinator();
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ prompt: '' }, /prompt: is empty/],
      [{ prompt: ' \n\t' }, /prompt: is empty/],
      [{ project_dir: 'work' }, /project_dir: is not an absolute path/],
      [{ project_dir: '../work' }, /project_dir: is not an absolute path/],
      [{ project_dir: '' }, /project_dir: is not an absolute path/],
      [{ project_dir: '/w\0x' }, /project_dir: has a NUL/],
      [{ agent_name: '../../../etc/passwd' }, /agent_name: can have/],
      [{ agent_name: '' }, /agent_name: can have/],
      [{ agent_name: 'a/b' }, /agent_name: can have/],
      [{ executor_type: '../x' }, /executor_type: is not an agent type/],
    ];
    const request = { executor_type: 'claude-code', prompt: 'Do it' };
    for (const [change, expected] of wrong) {
      const message = (error: unknown): boolean =>
        CoordinatorError.is(error, 'invalid') && expected.test(error.message);
      assert.throws(() => parseInput(createRunSchema, { ...request, ...change }), message, JSON.stringify(change));
    }
    for (const project_dir of ['/w', 'C:\\w', 'd:/w', '\\\\host\\share'])
      assert.equal(still.create({ project_dir }).project_dir, project_dir);
  });

  it('is limited in total size, which finished runs release', () => {
    const still = new StillCoordinator();
    const prompt = 'x'.repeat(1 << 20);
    const created: string[] = [];
    assert.throws(() => {
      for (let at = 0; at < 100; at += 1) created.push(still.create({ prompt }).run_id);
    }, full);
    assert.equal(created.length, 63);
    still.core.stop(created[0]!);
    still.create({ prompt });
    assert.throws(() => still.create({ prompt }), full);
  });
});
