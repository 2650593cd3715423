import assert from 'node:assert/strict';
import type { ToPage } from '../../../../../src/protocol/panel/messages.ts';
import { Finder } from '../../../../../webview/parts/find/finder.ts';

describe('find in the page', () => {
  const matches: Readonly<Record<string, readonly number[]>> = { fo: [3, 40, 77], foo: [40, 77] };

  function open() {
    const revealed: number[] = [];
    const waiting: (() => void)[] = [];
    const request = (message: (request: number) => unknown) =>
      new Promise<ToPage>((resolve) => {
        const { query } = message(1) as { query: string };
        const indexes = matches[query] ?? [];
        waiting.push(() =>
          resolve({ type: 'found', request: 1, indexes, truncated: false, texts: [query], problems: [] }),
        );
      });
    const nothing = () => undefined;
    const finder = new Finder({
      request,
      reveal: (index) => revealed.push(index),
      onClosed: nothing,
      changed: nothing,
    });
    finder.open();
    const state = () => finder.state() ?? assert.fail('closed');
    const answer = async (): Promise<void> => {
      for (const give of waiting.splice(0)) give();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { revealed, state, answer };
  }

  it('jumps to a match of the latest query, however early the key', async () => {
    const { revealed, state, answer } = open();
    state().setQuery('fo');
    await answer();
    state().setQuery('foo');
    assert.deepEqual(state().indexes, []);
    state().next(1);
    assert.deepEqual(revealed, []);
    await answer();
    assert.deepEqual([revealed, state().at], [[40], 0]);
    state().next(1);
    assert.deepEqual([revealed, state().at], [[40, 77], 1]);
  });

  it('does not jump if the query changed after the key', async () => {
    const { revealed, state, answer } = open();
    state().setQuery('fo');
    state().next(-1);
    state().setQuery('foo');
    await answer();
    assert.deepEqual([revealed, state().indexes], [[], [40, 77]]);
  });
});
