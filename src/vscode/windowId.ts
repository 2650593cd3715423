import { randomUUID } from 'node:crypto';
import type * as vscode from 'vscode';

const key = 'windowId';

/** Of the window of this workspace, the same after a reload. */
export function windowId(state: vscode.Memento): string {
  const kept = state.get<unknown>(key);
  if (typeof kept === 'string' && kept !== '' && kept.length <= 64) return kept;
  const id = randomUUID();
  void state.update(key, id);
  return id;
}
