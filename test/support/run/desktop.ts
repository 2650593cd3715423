/** `desktop.ts [--version 1.101.0]`: runs test/extension in a downloaded desktop VS Code; needs a screen (xvfb-run). */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runTests } from '@vscode/test-electron';
import { cache, repository } from '../host/install/cache.mjs';
import { newRunFolder } from '../host/runFolder.ts';
import { sampleExtension } from '../host/sampleExtension.ts';
import { type SuiteResult, formatSummary } from './suites/results.ts';
import { buildProduct, buildTests } from './build.ts';
import { suiteFiles } from './suites/suiteFiles.ts';

const { values } = parseArgs({ options: { version: { type: 'string', default: 'stable' } } });
await Promise.all([buildTests(['extension']), buildProduct()]);

const folder = newRunFolder('desktop');
const resultFile = path.join(folder.root, 'result.json');
try {
  await runTests({
    version: values.version,
    cachePath: path.join(cache, 'desktop'),
    extensionDevelopmentPath: [repository, sampleExtension()],
    extensionTestsPath: path.join(repository, 'dist/test/extension/index.js'),
    extensionTestsEnv: {
      VITRINE_TEST_RESULT: resultFile,
      VITRINE_TEST_FILES: suiteFiles('extension').join('\n'),
    },
    launchArgs: [folder.workspace, '--user-data-dir', path.join(folder.root, 'user-data'), '--disable-workspace-trust'],
  });
  console.log(formatSummary('desktop', JSON.parse(readFileSync(resultFile, 'utf8')) as SuiteResult));
} finally {
  folder.remove();
}
