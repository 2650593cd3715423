import assert from 'node:assert/strict';
import type { WindowState } from 'vscode';
import { onReturn, type WindowStates } from '../../../../src/vscode/window/onReturn.ts';

/** The states of a window, as VS Code reports them. */
class FakeWindow implements WindowStates {
  state: WindowState = { focused: true, active: true };
  #listener: ((state: WindowState) => unknown) | undefined;

  readonly onDidChangeWindowState = (listener: (state: WindowState) => unknown): { dispose(): unknown } => {
    this.#listener = listener;
    return { dispose: () => (this.#listener = undefined) };
  };

  set(state: WindowState): void {
    this.state = state;
    this.#listener?.(state);
  }
}

describe('the return of a user to a window', () => {
  let window: FakeWindow;
  let returns: number;
  let subscription: { dispose(): unknown };

  beforeEach(() => {
    window = new FakeWindow();
    returns = 0;
    subscription = onReturn(window, () => (returns += 1));
  });

  it('is when the window gets the focus, whether it is used at once or not', () => {
    window.set({ focused: false, active: true });
    assert.equal(returns, 0);
    window.set({ focused: true, active: true });
    assert.equal(returns, 1);
    window.set({ focused: false, active: false });
    window.set({ focused: true, active: false });
    assert.equal(returns, 2);
  });

  it('is when a window with the focus is used again, not when its user stops using it', () => {
    window.set({ focused: true, active: false });
    assert.equal(returns, 0);
    window.set({ focused: true, active: true });
    assert.equal(returns, 1);
  });

  it('is not reported for a window without the focus, or after the end', () => {
    window.set({ focused: false, active: false });
    window.set({ focused: false, active: true });
    subscription.dispose();
    window.set({ focused: true, active: true });
    assert.equal(returns, 0);
  });
});
