import { createWriteStream, mkdirSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { format } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { newContext } from './browser.ts';
import { repository } from './install/cache.mjs';
import type { Server } from './server.ts';
import { workbenchUrl } from './workbench.ts';

/** Additional variables in the tests' `process.env`. */
export type TestEnvironment = Readonly<Record<string, string>>;

/**
 * Runs test/extension in the extension host of a window on `server` (started with `driver: true`) and returns the
 * result file. Throws unless VS Code reports exit code 0 or 1 *and* the file exists: a test process that crashes is
 * also reported as 0.
 */
export async function runExtensionTests(
  server: Server,
  browser: Browser,
  env: TestEnvironment,
  timeout = 900_000,
): Promise<string> {
  const remote = (file: string): string => `vscode-remote://127.0.0.1:${server.port}${file}`;
  const resultFile = path.join(server.folder.root, 'result.json');
  const payload: [string, string][] = [
    ['extensionDevelopmentPath', remote(repository)],
    ['extensionTestsPath', remote(path.join(repository, 'dist/test/extension/index.js'))],
    ['extensionEnvironment', JSON.stringify({ ...env, VITRINE_TEST_RESULT: resultFile })],
  ];
  mkdirSync(path.join(repository, 'test-results'), { recursive: true });
  const log = createWriteStream(path.join(repository, 'test-results/extension-host.log'));
  const { context } = await newContext(browser);
  try {
    const page = await context.newPage();
    const exited = exitCode(page);
    await page.exposeFunction('codeAutomationLog', (type: string, line: unknown[]) => {
      log.write(`${new Date().toISOString()} [${type}] ${format(...line)}\n`);
    });
    await page.goto(workbenchUrl(server, server.folder.workspace, payload));
    const code = await Promise.race([exited, delay(timeout, undefined, { ref: false })]);
    if (code === undefined || !existsSync(resultFile)) {
      await page.screenshot({ path: path.join(repository, 'test-results/extension-host.png') });
      const what = code === undefined ? `no answer within ${timeout / 1000} s` : `exit code ${code} but no result`;
      throw new Error(`The extension-host suite ended with ${what}; see test-results/extension-host.png and .log.`);
    }
    const result = readFileSync(resultFile, 'utf8');
    if (code !== 0 && (JSON.parse(result) as { failed: number }).failed === 0) {
      throw new Error(`The extension-host suite reported no failure, but VS Code exit code ${code}.`);
    }
    return result;
  } finally {
    await context.close();
    log.end();
  }
}

function exitCode(page: Page): Promise<number> {
  return new Promise((resolve, reject) => {
    page.exposeFunction('codeAutomationExit', resolve).catch(reject);
  });
}
