import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import { call, edits, reads, runs, said } from './madeEntries.ts';

/** The line of the sample workspace's `src/bill.js` that the session wrote, 0-based. */
export interface LineSession {
  readonly entries: readonly NormalizedEntry[];
  readonly prompt: string;
  readonly written: number;
  /** Index of the prompt, and of the step that wrote the line. */
  readonly promptIndex: number;
  readonly stepIndex: number;
}

/** A secret in a common format, which must be masked. */
export const leaked = `ghp_${'A1b2C3d4E5f6'.repeat(3)}`;

/**
 * Record of a session that read `src/bill.js` and wrote one of its lines. `text`: current content of the file in the
 * folder `workspace`.
 */
export function lineSession(workspace: string, text: string): LineSession {
  const lines = text.split('\n');
  const written = lines.findIndex((line) => line.includes('guests > DISCOUNT'));
  const line = lines[written] ?? '';
  const before = line.replace('>', '>=');
  const then = lines.with(written, before).join('\n');
  const path = `${workspace}/src/bill.js`;
  const prompt = 'Give the discount to larger parties only.\n[run](command:workbench.action.quit) <img src=x> $(trash)';
  return {
    prompt,
    written,
    promptIndex: 0,
    stepIndex: 3,
    entries: [
      said(0, prompt, 'user_message'),
      call(1, reads(path), { result: { text: then } }),
      said(2, 'The condition is the wrong one.'),
      call(3, edits(path, before.trim(), line.trim())),
      call(4, runs('npm test', 0), { result: { text: `ok ${leaked}` } }),
      said(5, `Changed \`src/bill.js:${written + 1}\`. Tests pass.`),
    ],
  };
}
