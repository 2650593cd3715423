import assert from 'node:assert/strict';
import { acpPresets } from '../../../../src/agents/acp/presets.ts';
import { noFields, updateFields } from '../../../../src/agents/acp/tools/toolFields.ts';
import { type CommandToRun, Grants } from '../../../../src/engine/acp/grants.ts';
import { OutputTail } from '../../../../src/engine/acp/outputTail.ts';

const edit = updateFields(noFields, { kind: 'edit', locations: [{ path: '/w/a' }, { path: 'b' }] });
const command = (text: string | string[]) => updateFields(noFields, { kind: 'execute', rawInput: { command: text } });
const run = (words: readonly string[], overrides: Partial<CommandToRun> = {}): CommandToRun => ({
  words,
  cwd: '/w',
  env: {},
  ...overrides,
});

describe('grants of an agent', () => {
  it('cover the files of a call until it or the turn ends, and others only if granted', () => {
    const grants = new Grants('/w');
    assert.equal(grants.mayWrite('/w/a'), false);
    grants.call('c1', edit, '/w');
    assert.deepEqual(
      ['/w/a', '/w/./x/../b', '/w/c'].map((file) => grants.mayWrite(file)),
      [true, true, false],
    );
    grants.endCall('c1');
    assert.equal(grants.mayWrite('/w/a'), false);
    grants.call('c2', edit, '/w');
    grants.call('c3', command('ls'), '/w');
    grants.endTurn();
    assert.deepEqual([grants.mayWrite('/w/a'), grants.mayRun(run(['ls']))], [false, false]);
    grants.allowAllWrites();
    assert.equal(grants.mayWrite('/w/c'), true);
    assert.equal(new Grants('/w').mayRun(run(['ls'])), false);
  });

  it('cover the files whose new text was shown, and no others of the call', () => {
    const diff = (overrides: object) => ({ type: 'diff', path: '/w/a', newText: 'x', ...overrides });
    const named = { kind: 'edit', locations: [{ path: '/w/.git/hooks/pre-commit' }] };
    const claude = { _meta: { claudeCode: { toolName: 'Write' } }, rawInput: { file_path: '/w/a', content: 'x' } };
    for (const [fields, covered] of [
      [{ ...named, content: [diff({})] }, ['/w/a']],
      [{ ...named, content: [diff({}), diff({ path: 'b' })] }, ['/w/a', '/w/b']],
      [{ ...named, ...claude }, ['/w/a']],
      [{ kind: 'delete', locations: [{ path: '/w/a' }] }, []],
      [{ kind: 'edit', content: [diff({ _meta: { kind: 'delete' } })] }, []],
      [{ kind: 'read', locations: [{ path: '/w/a' }] }, []],
    ] as const) {
      const grants = new Grants('/w');
      grants.call('c', updateFields(noFields, fields), '/w');
      const asked = ['/w/a', '/w/b', '/w/.git/hooks/pre-commit'];
      assert.deepEqual(
        asked.filter((file) => grants.mayWrite(file)),
        covered,
      );
    }
  });

  it('cover the command of a call once, and with a shell only', () => {
    const grants = new Grants('/w');
    const may = (text: string | string[], ...words: string[]): boolean => {
      grants.call('c', command(text), '/w');
      const result = grants.mayRun(run(words));
      grants.endCall('c');
      return result;
    };
    assert.equal(may('ls -l', 'ls', '-l'), true);
    assert.equal(may("echo 'a b'", 'echo', 'a b'), true);
    assert.equal(may('echo a | wc', '/bin/bash', '-lc', 'echo a | wc'), true);
    assert.equal(may('echo a | wc', 'evil', '-c', 'echo a | wc'), false);
    assert.equal(may('echo a', 'sh', '-c', 'echo a', 'more'), false);
    assert.equal(may('echo a', 'sh', 'echo a'), false);
    assert.equal(may('ls', 'rm'), false);
    assert.equal(may('echo a', '/w/sh', '-c', 'echo a'), false);
    assert.equal(may('git show HEAD~1', 'git', 'show', 'HEAD~1'), true);
    assert.equal(may('rm a b', 'rm', 'a b'), false);
    assert.equal(may(['rm', 'a b'], 'rm', 'a', 'b'), false);
    assert.equal(may(['rm', 'a b'], 'rm', 'a b'), true);
    grants.call('c', command('ls'), '/w');
    assert.deepEqual([grants.mayRun(run(['ls'])), grants.mayRun(run(['ls']))], [true, false]);
    grants.allowCommand(run(['ls', 'a b']));
    assert.deepEqual([grants.mayRun(run(['ls', 'a b'])), grants.mayRun(run(['ls', 'a', 'b']))], [true, false]);
  });

  it('cover a command in its folder with its variables', () => {
    const grants = new Grants('/w');
    grants.call('c', command('npm test'), '/w');
    const words = ['npm', 'test'];
    const [preload, path] = [{ LD_PRELOAD: '/w/x.so' }, { PATH: '/w' }];
    assert.equal(grants.mayRun(run(words, { env: preload })), false);
    assert.equal(grants.mayRun(run(words, { cwd: '/w/below' })), false);
    assert.equal(grants.mayRun(run(words)), true);
    grants.call('d', command('npm test'), undefined);
    assert.equal(grants.mayRun(run(words)), false);
    grants.allowCommand(run(words, { env: { ...preload, ...path } }));
    assert.equal(grants.mayRun(run(words)), false);
    assert.equal(grants.mayRun(run(words, { env: preload })), false);
    assert.equal(grants.mayRun(run(words, { env: { ...path, ...preload } })), true);
    assert.equal(grants.mayRun(run(words, { env: { ...path, ...preload }, cwd: '/w/below' })), false);
  });

  it('follow the selected mode of known agents', () => {
    const grants = new Grants('/w');
    const claude = acpPresets.find(({ id }) => id === 'claude-agent-acp');
    const after = (mode: string, preset = claude) => {
      grants.mode(mode, preset);
      return [grants.mayWrite('/w/a'), grants.mayRun(run(['ls']))];
    };
    assert.deepEqual(after('acceptEdits'), [true, false]);
    assert.deepEqual(after('bypassPermissions'), [true, true]);
    assert.deepEqual(after('plan'), [false, false]);
    assert.deepEqual(
      after(
        'https://x#autopilot',
        acpPresets.find(({ id }) => id === 'copilot-acp'),
      ),
      [true, true],
    );
    grants.mode('bypassPermissions', undefined);
    assert.equal(grants.mayWrite('/w/a'), false);
  });
});

describe("the tail of a program's output", () => {
  it('starts at a character boundary, and marks truncation', () => {
    const tail = new OutputTail(5);
    for (const part of ['aé', 'é€', 'b']) tail.push(Buffer.from(part));
    assert.deepEqual([tail.text(), tail.truncated], ['€b', true]);
    const bytes = Buffer.from('€');
    const open = new OutputTail(100);
    open.push(bytes.subarray(0, 1));
    assert.deepEqual([open.text(), open.truncated], ['', false]);
    open.push(bytes.subarray(1));
    assert.equal(open.text(), '€');
    const long = new OutputTail(10);
    for (let count = 0; count < 10_000; count += 1) long.push(Buffer.from('x'));
    assert.deepEqual([long.text(), long.truncated], ['x'.repeat(10), true]);
    const none = new OutputTail(0);
    none.push(Buffer.from('x'));
    assert.deepEqual([none.text(), none.truncated], ['', true]);
  });
});
