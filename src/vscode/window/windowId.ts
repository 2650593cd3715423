import { randomUUID } from 'node:crypto';
import type * as vscode from 'vscode';

const key = 'windowId';

/** Id of this workspace's window, preserved over reloads. */
export function windowId(state: vscode.Memento): string {
  const saved = state.get<unknown>(key);
  if (typeof saved === 'string' && saved !== '' && saved.length <= 64) return saved;
  const id = randomUUID();
  void state.update(key, id);
  return id;
}
