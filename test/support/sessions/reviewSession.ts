import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import { call, edits as editsFile, reads, said } from './madeEntries.ts';

interface ReviewedFolder {
  readonly entries: readonly NormalizedEntry[];
  /** Absolute paths. */
  readonly files: readonly string[];
}

const lines = Array.from({ length: 30 }, (_, at) => `export const value${at} = ${at};`);
const places = [4, 14, 24];

/** The text of each file before and after its three changes. */
export const textBefore = `${lines.join('\n')}\n`;
export const edits = places.map((at) => ({ from: `value${at} = ${at};`, to: `value${at} = ${at} * 2;` }));
export const textAfter = edits.reduce((text, { from, to }) => text.replace(from, to), textBefore);

/** Absolute paths of `count` files. */
export function reviewedFiles(folder: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => path.join(folder, `part${at}.js`));
}

/** Writes files with three changes each, and returns the session that read and changed them. */
export async function reviewSession(folder: string, count: number): Promise<ReviewedFolder> {
  const files = reviewedFiles(folder, count);
  await mkdir(folder, { recursive: true });
  for (const file of files) await writeFile(file, textAfter);
  const entries = [said(0, 'Double the values at the places that matter.', 'user_message')];
  for (const file of files) {
    const numbered = lines.map((line, at) => `${at + 1}\t${line}`).join('\n');
    const extent = { startLine: 1, totalLines: lines.length };
    entries.push(call(entries.length, reads(file, extent), { toolName: 'Read', result: { text: numbered } }));
    for (const { from, to } of edits) {
      entries.push(call(entries.length, editsFile(file, from, to), { toolName: 'Edit' }));
    }
  }
  return { entries, files };
}
