import * as vscode from 'vscode';
import type { EngineHost } from '../engine/engineHost.ts';
import { isHere, type SessionList } from '../sessions/sessionList.ts';
import type { SessionLoader } from '../sessions/sessionLoader.ts';
import { marksLines } from '../settings/settings.ts';
import type { LineOrigins } from './lineOrigins.ts';
import type { TouchIndex } from './touchIndex.ts';

/** Delay in ms after sessions change before their files are read again. */
const pause = 1500;

interface LineHistoryDeps {
  readonly engines: EngineHost;
  readonly list: SessionList;
  readonly loader: SessionLoader;
  readonly log: vscode.LogOutputChannel;
}

/** Loaded when the setting is on or the user asks about a line. */
interface LoadedLines {
  readonly index: TouchIndex;
  readonly origins: LineOrigins;
}

/**
 * Shows which session wrote a line: as marks, hovers and CodeLenses if the setting is on, or for one line on request.
 */
export class LineHistory implements vscode.Disposable {
  readonly #deps: LineHistoryDeps;
  readonly #settings: vscode.Disposable;
  #lines: Promise<LoadedLines> | undefined;
  #display: vscode.Disposable | undefined;
  #generation = 0;

  constructor(deps: LineHistoryDeps) {
    this.#deps = deps;
    this.#settings = vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('vitrine.lineHistory')) void this.#updateDisplay();
    });
    void this.#updateDisplay();
  }

  lines(): Promise<LoadedLines> {
    this.#lines ??= this.#load();
    return this.#lines;
  }

  dispose(): void {
    this.#settings.dispose();
    this.#hide();
  }

  async #updateDisplay(): Promise<void> {
    const showsMarks = marksLines();
    if (showsMarks === (this.#display !== undefined)) return;
    this.#hide();
    if (!showsMarks) return;
    const turn = this.#generation;
    const { origins } = await this.lines();
    const { showLines } = await import('./showLines.ts');
    if (turn === this.#generation) this.#display = showLines(origins, this.#deps.list, pause);
  }

  #hide(): void {
    this.#generation += 1;
    this.#display?.dispose();
    this.#display = undefined;
  }

  async #load(): Promise<LoadedLines> {
    const { engines, loader, log } = this.#deps;
    const [{ TouchIndex }, { LineOrigins }] = await Promise.all([
      import('./touchIndex.ts'),
      import('./lineOrigins.ts'),
    ]);
    const open = async (id: string) => (await engines.get()).open(id);
    const findSessionsTouching = async (path: string) => {
      await loader.load();
      const { archive } = await engines.get();
      return archive.search.findSessionsTouching(path, { within: isHere });
    };
    const index = new TouchIndex({ findSessionsTouching, open }, log);
    return { index, origins: new LineOrigins(index, open) };
  }
}
