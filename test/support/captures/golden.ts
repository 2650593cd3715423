import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../host/install/cache.mjs';

/** Rewrites the expected files instead of comparing. */
const update = process.env['UPDATE_GOLDEN'] === '1';

/** Compares values with the lines of `test/golden/<name>.jsonl`, one JSON value per line. */
export function assertGolden(name: string, values: readonly unknown[]): void {
  const got = values.map((value) => `${JSON.stringify(value)}\n`).join('');
  const file = path.join(repository, 'test/golden', `${name}.jsonl`);
  if (update) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, got);
  }
  assert.ok(existsSync(file), `nothing is expected of ${name} yet: run with UPDATE_GOLDEN=1`);
  assert.deepEqual(parsed(got), parsed(readFileSync(file, 'utf8')));
}

function parsed(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}
