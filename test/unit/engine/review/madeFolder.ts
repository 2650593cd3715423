import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { isExecutable, withExecutable } from '../../../../src/model/files/fileMode.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import type { UnreportedChange } from '../../../../src/model/transcript/unreported.ts';
import { call, unreportedNote } from '../../../support/sessions/madeEntries.ts';
import { historyShape, MadeFile, type MadeHistory } from '../../insight/review/madeHistory.ts';

const modes = fc.constantFrom(0o644, 0o755, 0o600, 0o666, 0o444);

const fileShape = fc.record({
  history: historyShape,
  /** One of 40 has 10,000 lines. */
  size: fc.nat(39),
  mode: modes,
  /** A command makes it executable at the end, or not executable if it was. */
  isFlipped: fc.boolean(),
  folder: fc.constantFrom('', '', 'in/', 'in/the/'),
  moves: fc.array(
    fc.record({
      /** Number of steps before it. */
      at: fc.nat(6),
      by: fc.constantFrom('edit', 'command'),
      folder: fc.constantFrom('', 'moved/'),
      /** The agent reads it under its new name before it edits it. */
      isRead: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
  /** The note about the file comes after each run, and each of its new names is of another run. */
  hasRuns: fc.boolean(),
  end: fc.constantFrom('kept', 'kept', 'kept', 'kept', 'deleted by an edit', 'deleted by a command'),
});
type FileShape = typeof fileShape extends fc.Arbitrary<infer T> ? T : never;

const binaryShape = fc.record({
  bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
  mode: modes,
  end: fc.constantFrom('added', 'changed', 'deleted', 'renamed', 'flipped', 'untouched'),
});

export const folderShape = fc.record({
  files: fc.array(fileShape, { minLength: 1, maxLength: 3 }),
  binaries: fc.array(binaryShape, { maxLength: 2 }),
});
export type FolderShape = typeof folderShape extends fc.Arbitrary<infer T> ? T : never;

export interface FolderFile {
  /** At the end. */
  readonly name: string;
  readonly earlier: string | undefined;
  /** Name between the two. */
  readonly between: string | undefined;
  readonly end: FileShape['end'];
  readonly history: MadeHistory;
  readonly isFlipped: boolean;
}

/** `text`: only its permissions changed. */
type BinaryState = 'binary' | 'missing' | 'text';

export interface MadeFolder {
  readonly entries: readonly NormalizedEntry[];
  readonly files: readonly FolderFile[];
  /** Names of binary files that changed, and how a review lists them. */
  readonly binaries: ReadonlyMap<string, BinaryState>;
}

/** Plays edits on several files in turn, and leaves them in `folder` as a session would. */
export function playFolder(folder: string, { files, binaries }: FolderShape): MadeFolder {
  const entries: NormalizedEntry[] = [];
  const notes: UnreportedChange[] = [];
  const players = files.map((shape, at) => new FilePlayer(shape, `${shape.folder}file${at}.txt`, entries, notes));
  for (let step = 0; step < 10; step += 1) for (const player of players) player.step(step);
  const played = players.map((player) => player.end());
  for (const [at, { mode }] of files.entries()) {
    const file = played[at];
    if (file?.end !== 'kept') continue;
    if (file.isFlipped) notes.push(flipOf(file.name, mode));
    put(folder, file.name, Buffer.from(file.history.now), file.isFlipped ? flipped(mode) : mode);
  }
  const listed = new Map<string, BinaryState>();
  for (const [at, { bytes, mode, end }] of binaries.entries()) {
    const name = `picture${at}.png`;
    if (end !== 'deleted' && end !== 'renamed')
      put(folder, name, Buffer.concat([Buffer.of(0), bytes]), end === 'flipped' ? flipped(mode) : mode);
    if (end === 'renamed') put(folder, `moved${at}.png`, Buffer.concat([Buffer.of(0), bytes]), mode);
    const changes: UnreportedChange[] =
      end === 'untouched'
        ? []
        : end === 'renamed'
          ? [
              { path: name, kind: 'deleted' },
              { path: `moved${at}.png`, kind: 'added' },
            ]
          : end === 'flipped'
            ? [flipOf(name, mode)]
            : [{ path: name, kind: end }];
    notes.push(...changes);
    for (const { path: changed, kind } of changes)
      listed.set(changed, end === 'flipped' ? 'text' : kind === 'deleted' ? 'missing' : 'binary');
  }
  put(folder, 'mine.txt', Buffer.from('of the user\n'), 0o640);
  symlinkSync('mine.txt', path.join(folder, 'link.txt'));
  if (notes.length > 0) entries.push(unreportedNote(entries.length + 1, notes));
  return { entries, files: played, binaries: listed };
}

/** Everything in a folder: bytes, permissions, links and folders. */
export function folderState(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const place = path.join(folder, name);
      const found = lstatSync(place);
      if (!found.isFile()) return [name, found.isSymbolicLink() ? 'link' : 'folder'];
      return [name, `${(found.mode & 0o7777).toString(8)} ${readFileSync(place).toString('latin1')}`];
    }),
  );
}

export function flipped(mode: number): number {
  return withExecutable(mode, !isExecutable(mode));
}

function flipOf(name: string, mode: number): UnreportedChange {
  return { path: name, kind: 'changed', mode: { executable: !isExecutable(mode), only: true } };
}

function put(folder: string, name: string, bytes: Buffer, mode: number): void {
  const place = path.join(folder, name);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, bytes);
  chmodSync(place, mode);
}

class FilePlayer {
  readonly #shape: FileShape;
  readonly #file: MadeFile;
  readonly #entries: NormalizedEntry[];
  readonly #notes: UnreportedChange[];
  readonly #steps: FileShape['history']['steps'];
  readonly #first: string;
  /** Names before the last one. */
  readonly #earlier: string[] = [];
  #reportsDeletion = false;
  #reportsCreation = false;

  constructor(shape: FileShape, name: string, entries: NormalizedEntry[], notes: UnreportedChange[]) {
    const { history } = shape;
    this.#shape = shape;
    this.#entries = entries;
    this.#notes = notes;
    this.#first = name;
    // What a person changed before the agent looked is not part of the session.
    const from = history.steps.findIndex(({ kind }) => kind !== 'outside');
    this.#steps = from === -1 ? [] : history.steps.slice(from);
    const lines = shape.size === 0 ? 10_000 : history.lines + 4;
    this.#file = new MadeFile({ ...history, lines, readsFirst: true }, true, name, entries);
    this.#file.ensureRead();
  }

  step(at: number): void {
    for (const move of this.#shape.moves) if (at === Math.min(move.at, this.#steps.length)) this.#move(move);
    const step = this.#steps[at];
    if (step !== undefined) this.#file.step(step);
  }

  end(): FolderFile {
    const { end, hasRuns } = this.#shape;
    const { name } = this.#file;
    const index = this.#entries.length + 1;
    if (end === 'deleted by an edit')
      this.#entries.push(call(index, { kind: 'file_edit', changes: [{ path: name, kind: 'delete' }] }));
    const [earlier, between] = this.#earlier;
    // A note names what is different after a run, and not reported.
    if (!hasRuns && this.#first !== name) {
      if (!this.#reportsDeletion) this.#notes.push({ path: this.#first, kind: 'deleted' });
      if (!this.#reportsCreation && end === 'kept') this.#notes.push({ path: name, kind: 'added' });
    }
    if (end === 'deleted by a command' && (hasRuns || earlier === undefined))
      this.#notes.push({ path: name, kind: 'deleted' });
    // Without a note after each run, the mode of a file under a new name is known too late.
    const isFlipped = this.#shape.isFlipped && end === 'kept' && (hasRuns || earlier === undefined);
    return { name, earlier, between, end, history: this.#file.end(), isFlipped };
  }

  #move({ by, folder, isRead }: FileShape['moves'][number]): void {
    const from = this.#file.name;
    // An agent cannot write a text that it does not know. One that moves a file that a command moved reads it first.
    if (by === 'edit' && this.#earlier.length > 0) this.#file.read();
    else if (by === 'edit') this.#file.ensureRead();
    const to = `${folder}renamed-${path.posix.basename(from)}`;
    if (by === 'edit') {
      const index = this.#entries.length + 1;
      const added = { path: to, kind: 'add' as const, newText: this.#file.plainText };
      const removed = { path: from, kind: 'delete' as const };
      this.#entries.push(call(index, { kind: 'file_edit', changes: isRead ? [removed, added] : [added, removed] }));
    } else if (this.#shape.hasRuns) {
      this.#notes.push({ path: from, kind: 'deleted' }, { path: to, kind: 'added' });
    }
    if (this.#earlier.length === 0) this.#reportsDeletion = by === 'edit';
    this.#reportsCreation = by === 'edit';
    this.#earlier.push(from);
    this.#file.name = to;
    // No note names a file that came and went in one run.
    const isNoted = this.#shape.hasRuns || this.#shape.moves.length === 1;
    if (by === 'command' && (isRead || !isNoted)) this.#file.read();
  }
}
