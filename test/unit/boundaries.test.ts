import assert from 'node:assert/strict';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

/** The project's own configuration, less the rules that need types: the snippets are in no TypeScript project. */
const eslint = new ESLint({ overrideConfig: [tseslint.configs.disableTypeChecked] });

async function objections(file: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(`${code}\n`, { filePath: file });
  assert.ok(result, `${file} is linted`);
  return result.messages
    .filter(({ ruleId }) => ruleId !== '@typescript-eslint/no-unused-vars')
    .map(({ message }) => message);
}

/** [file, code, part of the expected message] */
const violations: [string, string, string][] = [
  ['src/model/x.ts', "import { a } from '../agents/x.ts';\na();", 'model may not import agents'],
  ['src/model/x.ts', "import { readFile } from 'node:fs';\nreadFile();", 'model may not import node:fs'],
  ['src/model/x.ts', "import { readFile } from 'fs';\nreadFile();", 'model may not import fs'],
  ['src/model/x.ts', "import { execa } from 'execa';\nexeca();", 'model may not import execa'],
  ['src/agents/claude/x.ts', "import * as vscode from 'vscode';\nvscode.a();", 'agents may not import vscode'],
  [
    'src/agents/claude/x.ts',
    "import type { Uri } from 'vscode';\nexport type A = Uri;",
    'agents may not import vscode',
  ],
  ['src/agents/claude/x.ts', "import { a } from '../../engine/x.ts';\na();", 'agents may not import engine'],
  ['src/agents/claude/x.ts', "export const a = () => import('../../engine/x.ts');", 'agents may not import engine'],
  ['src/agents/claude/x.ts', "export { a } from '../../insight/x.ts';", 'agents may not import insight'],
  ['src/insight/x.ts', "import { a } from '../formats/x.ts';\na();", 'insight may not import formats'],
  ['src/formats/x.ts', "import { a } from '../protocol/x.ts';\na();", 'formats may not import protocol'],
  ['src/protocol/x.ts', "import { a } from '../agents/x.ts';\na();", 'protocol may not import agents'],
  ['src/protocol/x.ts', "import { a } from '../../webview/x.ts';\na();", 'protocol may not import webview'],
  ['src/engine/x.ts', "import * as vscode from 'vscode';\nvscode.a();", 'engine may not import vscode'],
  ['src/engine/x.ts', "import { a } from '../vscode/x.ts';\na();", 'engine may not import vscode'],
  ['src/engine/x.ts', "import { a } from '../protocol/x.ts';\na();", 'engine may not import protocol'],
  ['src/engine/x.ts', "import { a } from '../../test/x.ts';\na();", 'engine may not import test/x.ts'],
  ['src/cli/x.ts', "import * as vscode from 'vscode';\nvscode.a();", 'cli may not import vscode'],
  ['src/cli/x.ts', "import { a } from '../daemon/x.ts';\na();", 'cli may not import daemon'],
  ['src/client/x.ts', "import { a } from '../engine/x.ts';\na();", 'client may not import engine'],
  ['src/engine/x.ts', "import { a } from '../daemon/x.ts';\na();", 'engine may not import daemon'],
  ['src/text/x.ts', "import { a } from '../model/x.ts';\na();", 'text may not import model'],
  [
    'src/vscode/x.ts',
    "import { spawn } from 'node:child_process';\nspawn();",
    'vscode may not import node:child_process',
  ],
  [
    'src/vscode/x.ts',
    "import { readFile } from 'node:fs/promises';\nreadFile();",
    'vscode may not import node:fs/promises',
  ],
  ['src/vscode/x.ts', "import { execa } from 'execa';\nexeca();", 'vscode may not import execa'],
  ['src/vscode/x.ts', "import { a } from '../cli/x.ts';\na();", 'vscode may not import cli'],
  ['src/extension.ts', "import { a } from './cli/x.ts';\na();", 'extension may not import cli'],
  ['src/stray.ts', "import { a } from './model/x.ts';\na();", 'this file belongs to no layer'],
  ['webview/x.ts', "import { a } from '../src/engine/x.ts';\na();", 'webview may not import engine'],
  ['webview/x.ts', "import { a } from '../src/model/x.ts';\na();", 'webview may import model as types only'],
  ['webview/x.ts', "import * as z from 'zod';\nz.string();", 'webview may not import zod'],
  ['webview/x.ts', "import * as vscode from 'vscode';\nvscode.a();", 'webview may not import vscode'],
  ['src/model/x.ts', "import { z } from 'zod';\nz.string();", 'import * as z'],
  ['src/model/x.ts', "import z from 'zod';\nz.string();", 'import * as z'],
  ['src/model/x.ts', "export * from './y.ts';", 'No barrel files'],
  ['src/model/x.ts', 'export default 1;', 'default'],
  ['src/agents/claude/x.ts', 'export const at = Date.now();', 'No clock'],
  ['src/insight/x.ts', 'export const at = new Date();', 'No clock'],
  ['src/formats/x.ts', 'export const at = Math.random();', 'No randomness'],
  ['src/engine/x.ts', "console.log('x');", 'console'],
  ['src/engine/x.ts', `export const a = [\n${'  1,\n'.repeat(400)}];`, 'Maximum allowed is 400'],
  ['test/unit/x.test.ts', "it.only('x', () => undefined);", 'No focused or silenced tests'],
];

const permitted: [string, string][] = [
  ['src/model/x.ts', "import * as z from 'zod';\nimport { a } from './y.ts';\nexport const b = z.array(a);"],
  ['src/agents/claude/x.ts', "import { a } from '../../model/x.ts';\nimport { b } from '../lines.ts';\na(b);"],
  ['src/formats/x.ts', 'export const at = (time: number): Date => new Date(time);'],
  ['src/protocol/x.ts', "import type { A } from '../model/x.ts';\nexport type B = A;"],
  ['src/engine/x.ts', "import { spawn } from 'node:child_process';\nimport { a } from '../insight/x.ts';\nspawn(a);"],
  ['src/cli/main.ts', "import { a } from '../engine/x.ts';\nconsole.log(a);"],
  ['src/vscode/x.ts', "import * as vscode from 'vscode';\nimport { a } from '../engine/x.ts';\nvscode.a(a);"],
  ['src/extension.ts', "import * as vscode from 'vscode';\nimport { a } from './vscode/x.ts';\nvscode.a(a);"],
  [
    'webview/x.ts',
    "import { a } from '../src/protocol/x.ts';\nimport type { B } from '../src/model/x.ts';\nexport const b: B = a;",
  ],
];

describe('boundaries', function () {
  for (const [file, code, expected] of violations) {
    it(`${file} rejects: ${code.slice(0, 60).split('\n')[0] ?? ''}`, async () => {
      const found = await objections(file, code);
      assert.ok(
        found.some((message) => message.includes(expected)),
        `expected "${expected}" among ${JSON.stringify(found)}`,
      );
    });
  }

  for (const [file, code] of permitted) {
    it(`${file} accepts: ${code.slice(0, 60).split('\n')[0] ?? ''}`, async () => {
      assert.deepEqual(await objections(file, code), []);
    });
  }

  it('no comment switches a rule off', async () => {
    const code = '// eslint-disable-next-line\nexport const at = Date.now();';
    assert.ok((await objections('src/model/x.ts', code)).some((message) => message.includes('No clock')));
  });
});
