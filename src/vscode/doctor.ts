import * as vscode from 'vscode';
import type { EngineHost } from './engine/engineHost.ts';
import type { EnginePaths } from './engine/createEngine.ts';
import { ReadOnlyPages } from './readOnlyPages.ts';
import type { SessionList } from './sessionList.ts';

const scheme = 'vitrine-doctor';
const uri = vscode.Uri.from({ scheme, path: '/Vitrine Doctor.md' });

/** A read-only page for people and bug reports: what was found, where it was looked for, what is kept. Names, never values. */
export class Doctor implements vscode.Disposable {
  readonly #engines: EngineHost;
  readonly #list: SessionList;
  readonly #paths: EnginePaths;
  readonly #version: string;
  readonly #pages: ReadOnlyPages;

  constructor(engines: EngineHost, list: SessionList, paths: EnginePaths, version: string) {
    this.#engines = engines;
    this.#list = list;
    this.#paths = paths;
    this.#version = version;
    this.#pages = new ReadOnlyPages(scheme, () => this.#report());
  }

  /** Looks anew each time, and shows the page when it says what was found. */
  show(): Promise<void> {
    return this.#pages.show(uri);
  }

  dispose(): void {
    this.#pages.dispose();
  }

  async #report(): Promise<string> {
    const [engine, { doctorReport }] = await Promise.all([this.#engines.get(), import('./doctorReport.ts')]);
    return doctorReport({ engine, list: this.#list, store: this.#paths.store, version: this.#version });
  }
}
