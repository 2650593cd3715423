import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import type { CliContext } from '../../../../src/cli/command.ts';
import { EntryPrinter } from '../../../../src/cli/run/entryPrinter.ts';
import type { EntryUpdate, NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { said } from '../../../support/sessions/madeEntries.ts';

describe('the printer of a run', () => {
  const prompt = said(0, 'Go.', 'user_message');
  const withId: NormalizedEntry = { ...prompt, metadata: { sessionId: 'abc' } };

  /** Prints what a session first has and then reports. Returns the index of each printed entry. */
  async function printed(first: readonly NormalizedEntry[], later: readonly NormalizedEntry[]): Promise<number[]> {
    let text = '';
    const stdout = new Writable({
      write: (chunk: Buffer, _, done) => {
        text += String(chunk);
        done();
      },
    });
    let report: (updates: readonly EntryUpdate[], total: number) => void = () => undefined;
    const session = {
      id: 'ses_000000000000',
      summary: () => ({ agent_label: 'Agent', outcome: 'completed' as const }),
      turns: () => [],
      entryCount: () => first.length,
      openIndexes: () => [],
      read: () => Promise.resolve(first),
      done: Promise.resolve(undefined),
      onUpdates: (listener: typeof report) => (report = listener),
    };
    const printer = new EntryPrinter(session, { stdout } as unknown as CliContext, 0);
    for (const entry of later) report([{ op: 'put', entry }], Math.max(first.length, entry.index + 1));
    await printer.whenPrinted();
    const lines = text.split('\n').filter(Boolean);
    return lines.map((line) => (JSON.parse(line) as NormalizedEntry).index);
  }

  it('prints the prompt once, whenever the id of the agent arrives', async () => {
    const answer = said(1, 'Done.');
    assert.deepEqual(await printed([withId], [withId, answer]), [0, 1]);
    assert.deepEqual(await printed([prompt], [withId, answer]), [0, 1]);
    assert.deepEqual(await printed([prompt], [answer, withId]), [0, 1]);
    assert.deepEqual(await printed([prompt, answer], [withId]), [0, 1]);
    assert.deepEqual(await printed([prompt], []), [0]);
  });
});
