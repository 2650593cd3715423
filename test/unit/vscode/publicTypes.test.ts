import assert from 'node:assert/strict';
import path from 'node:path';
import * as ts from 'typescript';
import { repository } from '../../support/host/install/cache.mjs';

const published = ['runs', 'transcript', 'vitrine'].map((name) =>
  path.join(repository, `src/vscode/api/types/${name}.d.ts`),
);
const sample = path.join(repository, 'docs/examples/sample-extension/extension.ts');

/** As strict as can be, and with what an extension elsewhere has: nothing of ours but that folder. */
const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  skipLibCheck: false,
  noEmit: true,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  types: ['vscode'],
};

function problems(program: ts.Program): string[] {
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file === undefined || !file.fileName.includes('node_modules'))
    .map(({ file, messageText }) => `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}

describe('the published types', function () {
  it("depend only on VS Code's types, and compile the sample extension", () => {
    const program = ts.createProgram([sample], options);
    assert.deepEqual(problems(program), []);
    const own = program
      .getSourceFiles()
      .map(({ fileName }) => path.relative(repository, fileName))
      .filter((name) => !name.startsWith('node_modules') && !name.startsWith('..'));
    assert.deepEqual(
      own.sort(),
      [sample, ...published].map((file) => path.relative(repository, file)),
    );
    const imported = published.flatMap((file) =>
      ts.preProcessFile(ts.sys.readFile(file) ?? '').importedFiles.map(({ fileName }) => fileName),
    );
    assert.deepEqual(
      imported.filter((name) => !name.startsWith('./')),
      imported.filter((name) => name === 'vscode'),
    );
  });
});
