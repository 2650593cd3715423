import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SessionReview } from '../../src/engine/review/reviewSession.ts';
import { reviewSession } from '../../test/support/sessions/reviewSession.ts';
import type { Row } from '../harness.ts';

const files = 500;

/** From the entries of a session and its files to every change with its step; the best of some turns. */
export async function review(turns = 5): Promise<Row> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-review-'));
  try {
    const { entries } = await reviewSession(folder, files);
    const source = {
      entryCount: () => entries.length,
      read: (from: number, to: number) => Promise.resolve(entries.slice(from, to)),
    };
    let [best, hunks] = [Infinity, 0];
    for (let turn = 0; turn < turns; turn += 1) {
      const began = performance.now();
      const made = new SessionReview(folder);
      await made.take(source, entries.length);
      const found = await made.review();
      best = Math.min(best, performance.now() - began);
      hunks = found.files.reduce((sum, file) => sum + file.hunks.length, 0);
    }
    return { name: 'review: changes in 500 files', value: best, unit: 'ms', goal: 500, detail: `${hunks} changes` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
