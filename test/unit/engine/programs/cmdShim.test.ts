import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseShim, withoutShim } from '../../../../src/engine/programs/cmdShim.ts';

const npmHead = [
  '@ECHO off',
  'GOTO start',
  ':find_dp0',
  'SET dp0=%~dp0',
  'EXIT /b',
  ':start',
  'SETLOCAL',
  'CALL :find_dp0',
  '',
];
const npmNode = [
  'IF EXIST "%dp0%\\node.exe" (',
  '  SET "_prog=%dp0%\\node.exe"',
  ') ELSE (',
  '  SET "_prog=node"',
  ')',
  '',
];
const npmRun = 'endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%" ';
const npmScript = (rest: string): string => [...npmHead, ...npmNode, `${npmRun}${rest}`].join('\r\n');
const script = 'node_modules\\@x\\agent\\cli.js';

const shims: [name: string, text: string, expected: ReturnType<typeof parseShim>][] = [
  ['npm', npmScript(` "%dp0%\\${script}" %*`), { target: script, node: [] }],
  [
    'npm, with options of the script',
    npmScript(`--no-warnings=DEP0040 --enable-source-maps "%dp0%\\${script}" %*`),
    { target: script, node: ['--no-warnings=DEP0040', '--enable-source-maps'] },
  ],
  [
    'npm, of a program',
    [...npmHead, '"%dp0%\\node_modules\\x\\agent.exe"   %*'].join('\r\n'),
    { target: 'node_modules\\x\\agent.exe', node: null },
  ],
  [
    'earlier npm',
    '@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe"  "%~dp0\\x\\a.js" %*\r\n) ELSE (\r\n  node  "%~dp0\\x\\a.js" %*\r\n)',
    { target: 'x\\a.js', node: [] },
  ],
  ['another interpreter', npmScript(` "%dp0%\\a.py" %*`).replace(/node(\.exe)?"/g, 'python$1"'), null],
  ['a folder of packages', `@SET NODE_PATH=C:\\x\r\n${npmScript(` "%dp0%\\${script}" %*`)}`, null],
  ['a script of its own', '@echo off\r\nset A=1\r\npython "%~dp0\\a.py" %*\r\n', null],
  ['nothing', '', null],
];

describe('shims of package managers on Windows', () => {
  for (const [name, text, expected] of shims) {
    it(`are resolved to the program that they start: ${name}`, () => assert.deepEqual(parseShim(text), expected));
  }

  it('starts the script itself, so that arguments may hold line breaks', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-shim-'));
    try {
      const shim = path.join(folder, 'agent.cmd');
      await writeFile(shim, npmScript(` "%dp0%\\${script}" %*`));
      const args = ['two\nlines'];
      const env = { PATH: folder, PATHEXT: '.EXE' };
      assert.deepEqual(await withoutShim(shim, args, env), { file: shim, args }, 'its script is missing');
      const target = path.join(folder, 'node_modules', '@x', 'agent', 'cli.js');
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, '');
      assert.deepEqual(await withoutShim(shim, args, env), { file: shim, args }, 'there is no Node');
      const node = path.join(folder, 'node.exe');
      await writeFile(node, '');
      await chmod(node, 0o755);
      assert.deepEqual(await withoutShim(shim, args, env), { file: node, args: [target, ...args] });
      assert.deepEqual(await withoutShim(node, args, env), { file: node, args });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
