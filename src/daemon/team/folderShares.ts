import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { shareSchema, type Share } from '../../model/session/share.ts';

const maxFolders = 1000;
const sharesSchema = z.record(z.string(), shareSchema);

/** What terminals decided for folders. Windows have a setting for it. */
export class FolderShares {
  readonly #file: string;
  #shares: Promise<Map<string, Share>> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Setting of the folder or of its nearest ancestor that has one; `undefined` if none has. */
  async shareOf(folder: string): Promise<Share | undefined> {
    const shares = await this.#read();
    for (let place = folder; ; place = path.dirname(place)) {
      const found = shares.get(place);
      if (found !== undefined || place === path.dirname(place)) return found;
    }
  }

  /** @throws file system errors */
  async set(folder: string, share: Share): Promise<void> {
    const shares = await this.#read();
    shares.delete(folder);
    shares.set(folder, share);
    const [oldest] = shares.keys();
    if (shares.size > maxFolders && oldest !== undefined) shares.delete(oldest);
    await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    await writeFile(`${this.#file}.new`, JSON.stringify(Object.fromEntries(shares)), { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }

  #read(): Promise<Map<string, Share>> {
    this.#shares ??= readFile(this.#file, 'utf8').then(
      (text) => new Map(Object.entries(sharesSchema.safeParse(parse(text)).data ?? {})),
      () => new Map<string, Share>(),
    );
    return this.#shares;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
