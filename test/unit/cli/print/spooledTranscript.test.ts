import assert from 'node:assert/strict';
import { SpooledTranscript } from '../../../../src/cli/print/spooledTranscript.ts';
import type { EntryUpdate } from '../../../../src/model/transcript/entry.ts';
import { Transcript } from '../../../../src/model/transcript/transcript.ts';
import { anEntry } from '../../../support/sessions/records.ts';

describe('a transcript that exceeds the memory limit', () => {
  it('equals one in memory, even with late changes', () => {
    const text = 'ä'.repeat(1 << 20);
    const put = (index: number, content: string, open = false): EntryUpdate => ({
      op: 'put',
      entry: { ...anEntry(index), content },
      open,
    });
    const updates: EntryUpdate[] = [
      put(0, 'open', true),
      ...Array.from({ length: 20 }, (_, at) => put(at + 1, `${at} ${text}`)),
      put(3, 'changed late'),
      { op: 'append', index: 0, text: ' and longer' },
      { op: 'append', index: 5, text: ' more' },
      put(21, 'last'),
      put(0, 'settled'),
    ];
    const whole = new Transcript();
    const spooled = new SpooledTranscript();
    for (const update of updates) {
      whole.apply([update]);
      spooled.apply([update]);
    }
    assert.deepEqual([...spooled.readSettled()], whole.settledEntries());
    spooled.close();
  });
});
