import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import { call, edits, reads, said } from './madeEntries.ts';

interface ReviewedFolder {
  readonly entries: readonly NormalizedEntry[];
  /** Absolute paths. */
  readonly files: readonly string[];
  readonly before: string;
  readonly after: string;
}

/** Files with three changes each, and the session that read and changed them. */
export async function reviewSession(folder: string, count: number): Promise<ReviewedFolder> {
  const lines = Array.from({ length: 30 }, (_, at) => `export const value${at} = ${at};`);
  const before = `${lines.join('\n')}\n`;
  const places = [4, 14, 24];
  const after = places.reduce((text, at) => text.replace(`value${at} = ${at};`, `value${at} = ${at} * 2;`), before);
  const files = Array.from({ length: count }, (_, at) => path.join(folder, `part${at}.js`));
  await mkdir(folder, { recursive: true });
  for (const file of files) await writeFile(file, after);
  const entries = [said(0, 'Double the values at the places that matter.', 'user_message')];
  for (const file of files) {
    const numbered = lines.map((line, at) => `${at + 1}\t${line}`).join('\n');
    const extent = { startLine: 1, totalLines: lines.length };
    entries.push(call(entries.length, reads(file, extent), { toolName: 'Read', result: { text: numbered } }));
    for (const at of places) {
      const change = edits(file, `value${at} = ${at};`, `value${at} = ${at} * 2;`);
      entries.push(call(entries.length, change, { toolName: 'Edit' }));
    }
  }
  return { entries, files, before, after };
}
