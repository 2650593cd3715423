import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { Refusal } from './refusal.ts';
import { replaceFile } from './replaceFile.ts';

/** Maximum size of a file to read or write. */
const maxBytes = 10 * 1024 * 1024;

export interface ReadRange {
  /** 1-based. */
  readonly line?: number | null | undefined;
  readonly limit?: number | null | undefined;
}

/** State of a file at one moment. */
export interface FileVersion {
  /** Real path. */
  readonly place: string;
  readonly text: string | undefined;
  /** Why an existing file has no text. */
  readonly unreadable: string | undefined;
  /** Changes when the file changes; `null` if there is no file. */
  readonly version: string | null;
}

/** Text files in one folder, for an agent. Refuses every path that leads out of the folder, links included. */
export class WorkspaceFiles {
  readonly #folder: string;
  readonly #root: Promise<string>;

  constructor(folder: string) {
    this.#folder = path.resolve(folder);
    this.#root = realpath(this.#folder);
    this.#root.catch(() => undefined);
  }

  /** Real path of `file`, which need not exist. @throws Refusal outside the folder */
  async locate(file: string): Promise<string> {
    if (!path.isAbsolute(file) || file.includes('\0')) {
      throw new Refusal('invalid', `The path must be absolute: ${file}`);
    }
    const root = await this.#root.catch(() => {
      throw new Refusal('failed', `The folder no longer exists: ${this.#folder}`);
    });
    const named = path.resolve(file);
    const realFile = await realPlace(named);
    if (realFile === undefined || !isWithin(realFile, root)) {
      throw new Refusal('invalid', `${file} is outside the folder of this session, ${this.#folder}.`);
    }
    return realFile;
  }

  /** @throws Refusal */
  async folder(folder: string): Promise<string> {
    const realFile = await this.locate(folder);
    const found = await stat(realFile).catch(() => null);
    if (found?.isDirectory() !== true) throw new Refusal('invalid', `Folder not found: ${folder}.`);
    return realFile;
  }

  /** @throws Refusal */
  async read(file: string, { line, limit }: ReadRange = {}): Promise<string> {
    const text = await readText(await this.locate(file), file);
    if ((line ?? null) === null && (limit ?? null) === null) return text;
    const lines = text.split(/(?<=\n)/);
    const from = Math.max(0, (line ?? 1) - 1);
    return lines.slice(from, limit === null || limit === undefined ? undefined : from + limit).join('');
  }

  /** Reads the current state. @throws Refusal outside the folder */
  async stat(file: string): Promise<FileVersion> {
    const place = await this.locate(file);
    const version = await stampOf(place);
    if (version === null) return { place, text: undefined, unreadable: undefined, version };
    try {
      return { place, text: await readText(place, file), unreadable: undefined, version };
    } catch (error) {
      return { place, text: undefined, unreadable: reasonOf(error), version };
    }
  }

  /** @throws Refusal if the file changed since it was shown */
  async assertUnchanged(file: string, version: FileVersion): Promise<void> {
    const { place, text, unreadable, version: stamp } = await this.stat(file);
    // A file with new times but the same text is unchanged. Without text, only the stamp can be compared.
    const isSameVersion =
      text === version.text &&
      (stamp === null) === (version.version === null) &&
      (unreadable === undefined || stamp === version.version);
    if (place !== version.place || !isSameVersion) throw new Refusal('failed', 'The file changed after the request.');
  }

  /** Creates the file and missing parent folders. @throws Refusal, and leaves the file unchanged */
  async write(file: string, content: string): Promise<void> {
    const bytes = Buffer.from(content);
    assertSize(bytes.length, file);
    const place = await this.locate(file);
    const found = await lstat(place).catch(() => null);
    if (found !== null && !found.isFile()) throw new Refusal('invalid', `${file} is not a file.`);
    try {
      await mkdir(path.dirname(place), { recursive: true });
      await replaceFile(place, found, bytes);
    } catch (error) {
      throw new Refusal('failed', `${file} cannot be written: ${reasonOf(error)}`);
    }
  }
}

async function stampOf(place: string): Promise<string | null> {
  const found = await stat(place, { bigint: true }).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw new Refusal('failed', `${place} cannot be read: ${reasonOf(error)}`);
  });
  return found === null ? null : [found.dev, found.ino, found.size, found.mtimeNs].join(' ');
}

async function readText(place: string, content: string): Promise<string> {
  const found = await stat(place).catch(() => null);
  if (found === null) throw new Refusal('missing', `Resource not found: ${content}`, content);
  // Reading a pipe, for example, may block for ever.
  if (!found.isFile()) throw new Refusal('invalid', `${content} is not a file.`);
  assertSize(found.size, content);
  let bytes: Buffer;
  try {
    const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      bytes = await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new Refusal('failed', `${content} cannot be read: ${reasonOf(error)}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal('failed', `${content} is not UTF-8 text.`);
  }
}

function assertSize(bytes: number, content: string): void {
  if (bytes > maxBytes) throw new Refusal('failed', `${content} is larger than ${maxBytes / 1024 / 1024} MB.`);
}

/** Resolves the links of the existing part and adds the rest. `undefined` for a broken link. */
async function realPlace(named: string): Promise<string | undefined> {
  const found = await realpath(named).catch((error: unknown) => error);
  if (typeof found === 'string') return found;
  if (!isMissing(found) || (await lstat(named).catch(() => null)) !== null) return undefined;
  const parent = path.dirname(named);
  if (parent === named) return undefined;
  const place = await realPlace(parent);
  return place === undefined ? undefined : path.join(place, path.basename(named));
}

function isWithin(place: string, root: string): boolean {
  const way = path.relative(root, place);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
