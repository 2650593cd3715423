import type * as vscode from 'vscode';
import { isObject } from '../../model/text/json.ts';
import { isRow, type SessionRow } from '../sessions/sessionRow.ts';

const key = 'sessions';
const version = 1;
/** Maximum size as JSON. VS Code rewrites the extension's whole state on each change, and warns above 512 KiB. */
export const indexLimit = 64 * 1024;

/** Cached rows of this workspace's sessions, for display before any record is opened. */
export class WorkspaceIndex {
  readonly #state: vscode.Memento;
  #savedText = '';

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** `undefined` if there is no valid cache. */
  load(): readonly SessionRow[] | undefined {
    const saved = this.#state.get<unknown>(key);
    if (!isObject(saved) || saved['version'] !== version || !Array.isArray(saved['sessions'])) return undefined;
    return saved['sessions'].filter(isRow);
  }

  /** Saves as many of the newest rows as fit. */
  async save(rows: readonly SessionRow[]): Promise<void> {
    const sessions: SessionRow[] = [];
    let remaining = indexLimit - 64;
    for (const row of [...rows].sort((a, b) => b.updated_at.localeCompare(a.updated_at))) {
      remaining -= new TextEncoder().encode(JSON.stringify(row)).byteLength + 1;
      if (remaining < 0) break;
      sessions.push(row);
    }
    const text = JSON.stringify(sessions);
    if (text === this.#savedText) return;
    this.#savedText = text;
    await this.#state.update(key, { version, sessions });
  }
}
