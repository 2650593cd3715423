import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { normalizedEntrySchema, type EntryUpdate, type NormalizedEntry } from '../../model/transcript/entry.ts';
import { appendContent } from '../../model/transcript/transcript.ts';

/** Approximate maximum characters of settled entries in memory; further entries go to a temporary file. */
const maxCharsInMemory = 8 * 1024 * 1024;

interface ByteRange {
  readonly offset: number;
  readonly bytes: number;
}

/** Entries by index, with updates applied, in any number: settled ones may be in a private temporary file. */
export class SpooledTranscript {
  readonly #heldEntries = new Map<number, NormalizedEntry>();
  readonly #open = new Set<number>();
  readonly #spooled = new Map<number, ByteRange>();
  #heldCharacters = 0;
  #file: { readonly folder: string; readonly descriptor: number } | undefined;
  #end = 0;

  apply(updates: readonly EntryUpdate[]): void {
    for (const update of updates) {
      if (update.op === 'put') this.#put(update.entry, update.open === true);
      else {
        const entry = this.#readEntry(update.index);
        if (entry !== undefined) this.#put(appendContent(entry, update.text), this.#open.has(update.index));
      }
    }
    if (this.#heldCharacters > maxCharsInMemory) this.#spoolLines();
  }

  /** All entries in index order. */
  *readSettled(): Generator<NormalizedEntry> {
    const indexes = [...new Set([...this.#spooled.keys(), ...this.#heldEntries.keys()])].sort((a, b) => a - b);
    for (const index of indexes) {
      const entry = this.#readEntry(index);
      if (entry !== undefined) yield entry;
    }
  }

  close(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file.descriptor);
    rmSync(this.#file.folder, { recursive: true, force: true });
    this.#file = undefined;
  }

  #put(entry: NormalizedEntry, open: boolean): void {
    this.#heldEntries.set(entry.index, entry);
    this.#spooled.delete(entry.index);
    if (open) this.#open.add(entry.index);
    else {
      this.#open.delete(entry.index);
      this.#heldCharacters += JSON.stringify(entry).length;
    }
  }

  #readEntry(index: number): NormalizedEntry | undefined {
    const spooled = this.#heldEntries.get(index);
    const stretch = this.#spooled.get(index);
    if (spooled !== undefined || stretch === undefined || this.#file === undefined) return spooled;
    const data = Buffer.alloc(stretch.bytes);
    readSync(this.#file.descriptor, data, 0, stretch.bytes, stretch.offset);
    return normalizedEntrySchema.parse(JSON.parse(data.toString('utf8')));
  }

  #spoolLines(): void {
    const folder = this.#file?.folder ?? mkdtempSync(path.join(tmpdir(), 'vitrine-'));
    this.#file ??= { folder, descriptor: openSync(path.join(folder, 'entries'), 'wx+', 0o600) };
    for (const [index, entry] of this.#heldEntries) {
      if (this.#open.has(index)) continue;
      const data = Buffer.from(JSON.stringify(entry));
      writeSync(this.#file.descriptor, data, 0, data.length, this.#end);
      this.#spooled.set(index, { offset: this.#end, bytes: data.length });
      this.#end += data.length;
      this.#heldEntries.delete(index);
    }
    this.#heldCharacters = 0;
  }
}
