import type * as vscode from 'vscode';
import { type DetailLevel, detailLevels } from '../../protocol/panel/detailLevel.ts';

const key = 'transcriptDetail';

/** The user's display options for transcripts, shared by all windows. */
export class PageMemory {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get detail(): DetailLevel {
    const saved = this.#state.get<unknown>(key);
    return detailLevels.find((level) => level === saved) ?? 'everything';
  }

  async keepDetail(level: DetailLevel): Promise<void> {
    await this.#state.update(key, level);
  }
}
