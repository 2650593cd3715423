import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** The Node that the user has, which may be 20 while the tests run under 24. */
const node = process.env['VITRINE_SYSTEM_NODE'] ?? process.execPath;

describe("the command line on the user's own Node", () => {
  for (const flag of ['--help', '--version']) {
    it(`answers ${flag}`, () => {
      const { status, stdout, stderr } = spawnSync(node, [path.resolve('dist/cli.js'), flag], { encoding: 'utf8' });
      assert.equal(stderr, '');
      assert.equal(status, 0);
      assert.notEqual(stdout, '');
    });
  }
});
