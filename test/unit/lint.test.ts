import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cruise, type ICruiseOptions } from 'dependency-cruiser';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import configuration from '../../.dependency-cruiser.mjs';
import { problemsIn, readRules } from '../support/lint/wording.mjs';

/** [file, code, part of the expected message] */
const syntax: [string, string, string][] = [
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
  ['src/model/x.ts', '// eslint-disable-next-line\nexport const at = Date.now();', 'No clock'],
];

/** Files that break one rule each. */
const imports: Readonly<Record<string, string>> = {
  'src/model/agents.ts': "export { a } from '../agents/a.ts';",
  'src/model/node.ts': "import { readFile } from 'node:fs';\nreadFile();",
  'src/model/package.ts': "import { execa } from 'execa';\nexeca();",
  'src/agents/vscode.ts': "import type { Uri } from 'vscode';\nexport type A = Uri;",
  'src/agents/late.ts': "export const a = () => import('../engine/a.ts');",
  'src/insight/formats.ts': "import { a } from '../formats/a.ts';\na();",
  'src/protocol/webview.ts': "import { a } from '../../webview/a.ts';\na();",
  'src/engine/protocol.ts': "import { a } from '../protocol/a.ts';\na();",
  'src/engine/vscode.ts': "import * as vscode from 'vscode';\nvscode.a();",
  'src/engine/test.ts': "import { a } from '../../test/a.ts';\na();",
  // One violation for both.
  'src/engine/cycleA.ts': "import type { B } from './cycleB.ts';\nexport type A = B;",
  'src/client/engine.ts': "import { a } from '../engine/a.ts';\na();",
  'src/cli/server.ts': "import { a } from '../daemon/a.ts';\na();",
  'src/vscode/node.ts': "import { readFile } from 'node:fs/promises';\nreadFile();",
  'src/vscode/package.ts': "import { execa } from 'execa';\nexeca();",
  'src/stray.ts': "import { a } from './model/a.ts';\na();",
  'webview/runtime.ts': "import { a } from '../src/model/a.ts';\na();",
  'webview/package.ts': "import * as z from 'zod';\nz.string();",
};

/** Installed, so that the result does not depend on what is installed above the temporary folder. */
const installed = Object.fromEntries(['zod', 'execa'].map((name) => [`node_modules/${name}/index.js`, 'export {};']));

const permitted: Readonly<Record<string, string>> = {
  'src/model/good.ts': "import * as z from 'zod';\nimport { a } from './a.ts';\nz.array(a);",
  'src/engine/cycleB.ts': "import type { A } from './cycleA.ts';\nexport type B = A;",
  'src/engine/good.ts': "import { spawn } from 'node:child_process';\nimport { a } from '../insight/a.ts';\nspawn(a);",
  'src/vscode/good.ts': "import * as vscode from 'vscode';\nimport { a } from '../engine/a.ts';\nvscode.a(a);",
  'webview/good.ts': "import type { A } from '../src/model/a.ts';\nexport type B = A;",
};

describe('lint', () => {
  // Without the rules that need types: the snippets are in no TypeScript project.
  const eslint = new ESLint({ overrideConfig: [tseslint.configs.disableTypeChecked] });
  for (const [file, code, expected] of syntax) {
    it(`rejects in ${file}: ${code.split('\n')[0] ?? ''}`, async () => {
      const [result] = await eslint.lintText(`${code}\n`, { filePath: file });
      const messages = (result?.messages ?? []).map(({ message }) => message);
      assert.ok(
        messages.some((message) => message.includes(expected)),
        JSON.stringify(messages),
      );
    });
  }

  it('rejects assigning to a property named by text', async () => {
    // Where the variable CI is set, the parser would read the file instead of the code it is given.
    const parserOptions = { disallowAutomaticSingleRunInference: true };
    const typed = new ESLint({ overrideConfig: { languageOptions: { parserOptions } } });
    const lint = async (name: string): Promise<boolean> => {
      const code = `export function f(o: Record<string, number>, name: ${name}): void {\n  o[name] = 1;\n}\n`;
      const [result] = await typed.lintText(code, { filePath: 'src/model/text/bytes.ts' });
      return result?.messages.some(({ ruleId }) => ruleId === 'vitrine/text-keys') === true;
    };
    assert.deepEqual([await lint('string'), await lint("'a' | 'b'"), await lint('number')], [true, false, false]);
  }).timeout(120_000);

  it('rejects each phrase and name that the list rules out', () => {
    const rules = readRules(readFileSync('test/support/lint/wording.json', 'utf8'));
    assert.ok(rules.phrases.length > 40 && rules.names.length > 20);
    for (const { not, but } of rules.phrases) {
      assert.match(problemsIn('docs/x.md', `Here, ${not.toUpperCase()} it.`, rules).join(), /x\.md:1/, not);
      assert.deepEqual(problemsIn('docs/x.md', but, rules), []);
    }
    for (const { not } of rules.names) {
      const stem = `${not[0]?.toLowerCase() ?? ''}${not.slice(1)}`;
      assert.equal(problemsIn('src/x.ts', `const a = 1;\nconst ${not} = a;`, rules).length, 1, not);
      assert.equal(problemsIn(`src/${stem}.ts`, '', rules).length, 1, not);
    }
  });

  it('keeps folders small, and ARCHITECTURE.md complete', () => {
    const map = readFileSync('ARCHITECTURE.md', 'utf8');
    const [agents, ...folders] = ['src/agents', 'src', 'webview'].map((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).map((item) => ({
        parentPath: item.parentPath,
        isFolder: item.isDirectory(),
        path: `${item.parentPath}/${item.name}`,
      })),
    );
    const all = folders.flat();
    for (const folder of all.filter(({ isFolder }) => isFolder)) {
      const files = all.filter(({ isFolder, parentPath }) => !isFolder && parentPath === folder.path);
      assert.ok(files.length <= 20, `${folder.path} has ${files.length} files`);
    }
    const executors = new Set(agents?.map(({ path: folder }) => folder));
    const unnamed = all
      .filter(
        ({ isFolder, path: folderPath }) =>
          isFolder && folderPath.split('/').length <= (folderPath.startsWith('src/') ? 3 : 2),
      )
      .filter(({ path: folderPath }) => !executors.has(folderPath) && !map.includes(`\`${folderPath}\``));
    assert.deepEqual(
      unnamed.map(({ path: folderPath }) => folderPath),
      [],
    );
  });

  it('rejects imports that break a layer or form a cycle', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-lint-'));
    try {
      const targets = ['model', 'agents', 'insight', 'formats', 'protocol', 'engine', 'daemon'].map(
        (layer) => `src/${layer}/a.ts`,
      );
      const files = Object.fromEntries(
        [...targets, 'webview/a.ts', 'test/a.ts'].map((file) => [file, 'export type A = 1;']),
      );
      for (const [file, code] of Object.entries({ ...files, ...installed, ...imports, ...permitted })) {
        await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
        await writeFile(path.join(folder, file), code);
      }
      const { forbidden, options } = configuration;
      const found = await cruise(['src', 'webview'], {
        ...(options as ICruiseOptions),
        ruleSet: { forbidden } as NonNullable<ICruiseOptions['ruleSet']>,
        validate: true,
        baseDir: folder,
      });
      assert.ok(typeof found.output !== 'string');
      const broken = new Set(found.output.summary.violations.map(({ from }) => from));
      assert.deepEqual([...broken].sort(), Object.keys(imports).sort());
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
