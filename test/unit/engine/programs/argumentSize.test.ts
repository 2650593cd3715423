import assert from 'node:assert/strict';
import { argumentProblem } from '../../../../src/engine/programs/argumentSize.ts';

const command = (...args: string[]) => ({ path: '/bin/agent', args, env: { PATH: '/bin' } });

describe("arguments that exceed the system's limits", () => {
  it('are reported before the start, with advice', () => {
    const cases: readonly (readonly [NodeJS.Platform, readonly string[], boolean])[] = [
      ['linux', ['-p', 'x'.repeat(131_071)], true],
      ['linux', ['-p', 'x'.repeat(131_072)], false],
      ['linux', ['-p', 'é'.repeat(70_000)], false],
      ['linux', Array.from({ length: 20 }, () => 'x'.repeat(100_000)), false],
      ['darwin', ['-p', 'x'.repeat(200_000)], true],
      ['darwin', ['-p', 'x'.repeat(1_048_576)], false],
      ['win32', ['-p', 'x'.repeat(30_000)], true],
      ['win32', ['-p', 'x'.repeat(33_000)], false],
      ['win32', ['-p', '"'.repeat(20_000)], false],
    ];
    for (const [platform, args, fits] of cases) {
      const problem = argumentProblem(command(...args), platform);
      assert.equal(problem === null, fits, `${platform} ${args.length} ${problem}`);
      if (problem !== null) assert.match(problem, /takes at most [\d,]+\. Shorten the prompt .* in a file/);
    }
  });
});
