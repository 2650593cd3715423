import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { runnerLine } from '../../../../src/vscode/runner/runnerLine.ts';
import { skip } from '../../../support/skip.ts';

describe('the command line of a runner', () => {
  const place = {
    program: '/ext/dist/cli.js',
    executor: 'claude-code',
    store: '/store',
    folder: '/p',
    isWindows: false,
  } as const;

  it('names program, executor, store and folder', () => {
    assert.equal(runnerLine(place), 'node /ext/dist/cli.js runner --executor claude-code --store /store --cwd /p');
    const windows = { ...place, program: 'C:\\My Ext\\cli.js', store: 'C:\\s', isWindows: true };
    assert.match(runnerLine(windows), /^node 'C:\\My Ext\\cli\.js' runner .* --store 'C:\\s' --cwd \/p$/);
    const odd = runnerLine({ ...windows, store: "C:\\$(calc)'s" });
    assert.ok(odd.includes("--store 'C:\\$(calc)''s' "), odd);
  });

  it('quotes each path as one word', function () {
    if (process.platform === 'win32') skip(this, 'there is no sh');
    const odd = `/a b/$(touch x)/'"\`;rm -rf *\n`;
    const line = runnerLine({ ...place, store: odd }).replace(/^node/, 'printf "%s\\0"');
    const words = execFileSync('sh', ['-c', line], { encoding: 'utf8' }).split('\0');
    assert.deepEqual(words.slice(0, 5), ['/ext/dist/cli.js', 'runner', '--executor', 'claude-code', '--store']);
    assert.equal(words[5], odd);
  });
});
