import type { WindowState } from 'vscode';

interface Subscription {
  dispose(): unknown;
}

/** The part of `vscode.window` that is used here. */
export interface WindowStates {
  readonly state: WindowState;
  readonly onDidChangeWindowState: (listener: (state: WindowState) => void) => Subscription;
}

/**
 * Calls when the user returns to the window: it gets the focus, or is used again. VS Code also reports when the user stops using
 * it, a minute after the last key or click.
 */
export function onReturn(window: WindowStates, listener: () => void): Subscription {
  let { focused, active } = window.state;
  return window.onDidChangeWindowState((now) => {
    const isReturn = now.focused && (!focused || (now.active && !active));
    ({ focused, active } = now);
    if (isReturn) listener();
  });
}
