import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { captureFile } from './homes.ts';

/** A home folder with a copy of a captured store, whose files can be replayed step by step. */
export class WorkedHome {
  readonly home = mkdtempSync(path.join(tmpdir(), 'vitrine-home-'));
  readonly #from: string;

  constructor(capture: string, label = 'home') {
    this.#from = captureFile(capture, label);
  }

  /** Copies the whole store. */
  copy(): this {
    cpSync(this.#from, this.home, { recursive: true });
    return this;
  }

  /** Paths of captured files with this suffix, relative to the home. */
  files(ending: string): string[] {
    return readdirSync(this.#from, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending));
  }

  /** Lines of a captured file, with their ends. */
  lines(name: string): string[] {
    return readFileSync(path.join(this.#from, name), 'utf8').split(/(?<=\n)/);
  }

  path(name: string): string {
    return path.join(this.home, name);
  }

  write(name: string, text: string): void {
    mkdirSync(path.dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  append(name: string, text: string): void {
    appendFileSync(this.path(name), text);
  }

  remove(name: string): void {
    rmSync(this.path(name), { recursive: true });
  }

  dispose(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
