/** The entry that VS Code calls inside the extension host: runs every suite beside it and writes the results. */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runFiles, secondAttempts } from '../support/run/suites/mochaRun.ts';

function suites(folder: string): string[] {
  const listed = process.env['VITRINE_TEST_FILES'];
  if (listed !== undefined) return listed.split('\n').map((name) => path.join(folder, name));
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => path.join(folder, name));
}

export async function run(): Promise<void> {
  const result = await runFiles(suites(import.meta.dirname), {
    timeout: 300_000,
    grep: process.env['VITRINE_TEST_GREP'],
    color: true,
    retries: secondAttempts(),
  });
  const file = process.env['VITRINE_TEST_RESULT'];
  if (file !== undefined) writeFileSync(file, JSON.stringify(result));
  if (result.failed > 0) throw new Error(`${result.failed} test(s) failed`);
}
