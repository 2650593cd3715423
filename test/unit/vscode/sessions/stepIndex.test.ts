import assert from 'node:assert/strict';
import { StepIndex } from '../../../../src/vscode/panel/stepIndex.ts';
import { said } from '../../../support/sessions/madeEntries.ts';

/** A session whose reads are answered when the test says so, with what it had when they began. */
function slowSession(...contents: string[]) {
  const releases: (() => void)[] = [];
  const seen: string[] = [];
  const steps = new StepIndex(
    {
      entryCount: () => contents.length,
      read: (from, to) => {
        const entries = contents.slice(from, to).map((content, at) => said(from + at, content));
        return new Promise((resolve) => releases.push(() => resolve(entries)));
      },
    },
    ({ content }, { isNew, isSettled }) => seen.push(`${content}${isNew ? ' new' : ''}${isSettled ? ' settled' : ''}`),
  );
  const settle = (index: number, content: string): void => {
    contents[index] = content;
    steps.settle(said(index, content));
  };
  return { steps, seen, settle, answer: () => releases.shift()?.() };
}

describe('the index of steps', () => {
  it('passes an entry again that settles after it was counted', async () => {
    const { steps, seen, settle, answer } = slowSession('a', 'b…');
    const counting = steps.count();
    answer();
    await counting;
    settle(1, 'bc');
    assert.deepEqual(seen, ['a new', 'b… new', 'bc settled']);
  });

  it('passes an entry as it settled if the read that counts it began before', async () => {
    const { steps, seen, settle, answer } = slowSession('a', 'b…');
    const counting = steps.count();
    settle(1, 'bc');
    answer();
    assert.equal(await counting, true);
    assert.deepEqual(seen, ['a new', 'bc new settled']);
  });
});
