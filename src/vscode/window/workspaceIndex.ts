import type * as vscode from 'vscode';
import { isObject } from '../../model/text/json.ts';
import { isRow, type SessionRow } from '../sessions/sessionRow.ts';

const key = 'sessions';
const version = 1;
/** Bytes as JSON. VS Code rewrites an extension's whole state at each change, and warns above 512 KiB. */
export const indexLimit = 64 * 1024;

/** This workspace's sessions as lists show them, for a first look without opening a record. A cache: losing it loses nothing. */
export class WorkspaceIndex {
  readonly #state: vscode.Memento;
  #saved = '';

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** `undefined` where nothing, or nothing that can be read, is kept. */
  load(): readonly SessionRow[] | undefined {
    const saved = this.#state.get<unknown>(key);
    if (!isObject(saved) || saved['version'] !== version || !Array.isArray(saved['sessions'])) return undefined;
    return saved['sessions'].filter(isRow);
  }

  /** Keeps as many of the newest as fit the limit. */
  async save(rows: readonly SessionRow[]): Promise<void> {
    const sessions: SessionRow[] = [];
    let left = indexLimit - 64;
    for (const row of [...rows].sort((a, b) => b.updated_at.localeCompare(a.updated_at))) {
      left -= new TextEncoder().encode(JSON.stringify(row)).byteLength + 1;
      if (left < 0) break;
      sessions.push(row);
    }
    const text = JSON.stringify(sessions);
    if (text === this.#saved) return;
    this.#saved = text;
    await this.#state.update(key, { version, sessions });
  }
}
