import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { sessionIdSchema } from '../../model/session.ts';
import { makeFolder } from '../record/writer.ts';
import { partEnding, writeWhole } from '../wholeFile.ts';
import { Segment } from './segment.ts';

/** Bytes of segments that are kept in memory; the rest is read again when it is wanted. */
const mostBytes = 64 * 1024 * 1024;

/** Milliseconds after which nobody writes to a file any more that is not whole. */
const abandonedAfter = 60 * 60 * 1000;

const count = z.number().int().nonnegative();
const partSchema = z.object({ from: count, to: count, stamp: z.string(), words: count, cut: count });
const sessionIndexSchema = z.object({
  /** Which state of the record was read: `inode:size:time`. */
  stamp: z.string(),
  damaged: z.boolean(),
  parts: z.array(partSchema),
});
export type SessionIndex = z.infer<typeof sessionIndexSchema>;
export type Part = z.infer<typeof partSchema>;
/** 2: says of messages whether no person wrote them. */
const manifestVersion = 2;
const manifestSchema = z.object({
  version: z.literal(manifestVersion),
  sessions: z.record(sessionIdSchema, sessionIndexSchema),
});

/**
 * The files of the index: segments, and a manifest that says what they were made of. All of it can be made again from the
 * records: what is missing, torn, of another version or of another window's making counts as not there.
 */
export class IndexStore {
  readonly #dir: string;
  readonly #clock: () => number;
  readonly #recent = new Map<string, Segment>();
  #recentBytes = 0;
  #sessions: Map<string, SessionIndex> | undefined;

  /** `clock`: epoch milliseconds. */
  constructor(dir: string, clock: () => number) {
    this.#dir = dir;
    this.#clock = clock;
  }

  async sessions(): Promise<ReadonlyMap<string, SessionIndex>> {
    return await this.#load();
  }

  /** Makes a session's parts known; they are written already. */
  async set(id: string, index: SessionIndex): Promise<void> {
    (await this.#load()).set(id, index);
  }

  async save(): Promise<void> {
    const sessions = Object.fromEntries(await this.#load());
    await makeFolder(this.#dir);
    await writeWhole(this.#manifest, [JSON.stringify({ version: manifestVersion, sessions })]);
  }

  async write(id: string, part: number, bytes: Buffer): Promise<void> {
    await makeFolder(this.#dir);
    this.#drop(this.#file(id, part));
    await writeWhole(this.#file(id, part), [bytes]);
  }

  /** `undefined` where the file is not what the manifest says. */
  async segment(id: string, part: number): Promise<Segment | undefined> {
    const wanted = (await this.#load()).get(id)?.parts[part]?.stamp;
    const file = this.#file(id, part);
    const known = this.#recent.get(file);
    if (known !== undefined && known.stamp === wanted) {
      this.#recent.delete(file);
      this.#recent.set(file, known);
      return known;
    }
    const bytes = await readFile(file).catch(() => undefined);
    const segment = bytes === undefined ? undefined : Segment.read(bytes);
    if (segment === undefined || segment.session !== id || segment.stamp !== wanted) return undefined;
    this.#keep(file, segment);
    return segment;
  }

  /** Takes a session and its files away. */
  async forget(id: string): Promise<void> {
    (await this.#load()).delete(id);
    const names = await readdir(this.#dir).catch(() => []);
    for (const name of names.filter((each) => each.startsWith(`${id}.`))) {
      this.#drop(path.join(this.#dir, name));
      await rm(path.join(this.#dir, name), { force: true });
    }
  }

  async clear(): Promise<void> {
    await rm(this.#dir, { recursive: true, force: true });
    this.#recent.clear();
    this.#recentBytes = 0;
    this.#sessions = new Map();
  }

  get #manifest(): string {
    return path.join(this.#dir, 'manifest.json');
  }

  #file(id: string, part: number): string {
    return path.join(this.#dir, `${sessionIdSchema.parse(id)}.${part}.seg`);
  }

  async #load(): Promise<Map<string, SessionIndex>> {
    if (this.#sessions !== undefined) return this.#sessions;
    await this.#removeAbandoned();
    const text = await readFile(this.#manifest, 'utf8').catch(() => '');
    this.#sessions ??= new Map(Object.entries(manifestOf(text)?.sessions ?? {}));
    return this.#sessions;
  }

  /** What processes were writing when they were killed. */
  async #removeAbandoned(): Promise<void> {
    const names = await readdir(this.#dir).catch(() => []);
    for (const name of names.filter((each) => each.endsWith(partEnding))) {
      const file = path.join(this.#dir, name);
      const written = (await stat(file).catch(() => null))?.mtimeMs;
      if (written !== undefined && this.#clock() - written > abandonedAfter) await rm(file).catch(() => undefined);
    }
  }

  #keep(file: string, segment: Segment): void {
    this.#drop(file);
    this.#recent.set(file, segment);
    this.#recentBytes += segment.bytes;
    for (const oldest of this.#recent.keys()) {
      if (this.#recentBytes <= mostBytes || oldest === file) break;
      this.#drop(oldest);
    }
  }

  #drop(file: string): void {
    this.#recentBytes -= this.#recent.get(file)?.bytes ?? 0;
    this.#recent.delete(file);
  }
}

function manifestOf(text: string): z.infer<typeof manifestSchema> | undefined {
  try {
    return manifestSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
