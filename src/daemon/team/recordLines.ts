import { setImmediate } from 'node:timers/promises';
import { openUnpacked } from '../../engine/record/pack/packFile.ts';
import { linesOf, windows } from '../../engine/record/read/windows.ts';

export interface RecordText {
  readonly text: string;
  /** Where the next line begins, in bytes. */
  readonly next: number;
}

/** Whole lines of a record from a byte offset on, without those over the size limit. @throws file system errors */
export async function* recordLines(file: string, from: number): AsyncGenerator<RecordText> {
  const handle = await openUnpacked(file);
  try {
    const { size } = await handle.stat();
    for await (const { buffer, offset, oversizeLine } of windows(handle, from, size)) {
      if (oversizeLine !== null) continue;
      for (const { start, end } of linesOf(buffer)) {
        // The writer has not finished this line.
        if (end === buffer.length) continue;
        if (end > start) yield { text: buffer.toString('utf8', start, end), next: offset + end + 1 };
      }
      // Masking a long record must not hold up the daemon.
      await setImmediate();
    }
  } finally {
    await handle.close();
  }
}
