import { hashOf, readCurrent, type CurrentFile } from './currentFile.ts';
import { SessionFiles } from '../../insight/files/files.ts';
import { plainLines } from '../../insight/review/fileText.ts';
import { unreported } from '../../insight/review/lineTrail.ts';
import { foundFile, deletedFile } from '../../insight/review/recordedText.ts';
import { findRenames } from '../../insight/review/renames.ts';
import { type FileReview, reviewFile } from '../../insight/review/reviewFile.ts';
import type { ReviewHunk } from '../../insight/review/reviewHunks.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import {
  type UnreportedChange,
  unreportedChangesSchema,
  unreportedSubtype,
} from '../../model/transcript/unreported.ts';

/** The part of a session's handle that a review reads. */
export interface ReviewSource {
  entryCount(): number;
  read(from: number, to: number): Promise<readonly NormalizedEntry[]>;
}

/** A hunk with a name that lasts as long as its text. */
export interface NamedHunk extends ReviewHunk {
  readonly key: string;
  /** Whether the file became executable, or no longer is. Such a change has no lines. */
  readonly executable?: boolean;
}

/** What a session did to one file; `review` is absent if the file cannot be compared, and `state` says why. */
export interface ReviewedFile {
  /** As the session's list of files names it. */
  readonly path: string;
  readonly state: CurrentFile['state'] | 'unrecorded';
  readonly place?: string;
  readonly hash?: string | null;
  readonly review?: FileReview;
  readonly hunks: readonly NamedHunk[];
  readonly renamedFrom?: string;
}

/** A step, or the prompt before it, as a review names it. */
export interface ReviewStep {
  /** As in the gutter of the transcript. */
  readonly number: string | undefined;
  readonly tool: string;
  readonly prompt: string | undefined;
  readonly promptIndex: number | undefined;
}

/** Entries that count: all from `since` on, or only those before `until`. */
export interface ReviewRange {
  readonly since: number;
  readonly until?: number;
}

/** Entries read at once, and in all. */
const chunk = 500;
const maxEntries = 250_000;
/** Files that are reviewed; more than anyone reads, and than VS Code shows without pain. */
const maxFiles = 500;
const maxParallelReads = 16;

/** The entries of a session by the file they changed, for reviews of all files or of one again. */
export class SessionReview {
  readonly #folder: string;
  readonly #range: ReviewRange;
  readonly #files: SessionFiles;
  readonly #byPath = new Map<string, NormalizedEntry[]>();
  readonly #steps = new Map<number, string>();
  readonly #prompts: { readonly index: number; readonly text: string }[] = [];
  readonly #unreportedByPath = new Map<string, UnreportedChange>();
  /** Whether the first note about a file calls it new. */
  readonly #wasAddedByPath = new Map<string, boolean>();
  /** Whether files were executable before the first note about their modes. */
  readonly #wasExecutable = new Map<string, boolean>();
  /** Files of which a note says that their content changed. */
  readonly #otherContent = new Set<string>();
  #nextEntry = 0;

  /** `folder`: absolute path of the session's folder. */
  constructor(folder: string, range: ReviewRange = { since: 0 }) {
    this.#folder = folder;
    this.#range = range;
    this.#files = new SessionFiles(folder);
  }

  /** Takes what was added to the session since. `settled`: entries before it no longer change. */
  async take(source: ReviewSource, settled: number): Promise<void> {
    const end = Math.min(settled, maxEntries);
    while (this.#nextEntry < end) {
      const to = Math.min(this.#nextEntry + chunk, end);
      for (const entry of await source.read(this.#nextEntry, to)) this.#add(entry);
      this.#nextEntry = to;
    }
  }

  /** Prompts of the main conversation, oldest first. */
  get prompts(): readonly { readonly index: number; readonly text: string }[] {
    return this.#prompts;
  }

  step(entryIndex: number): ReviewStep {
    const prompt = this.#prompts.findLast(({ index }) => index <= entryIndex);
    return {
      number: this.#files.numberOf(entryIndex),
      tool: this.#steps.get(entryIndex) ?? '',
      prompt: prompt?.text,
      promptIndex: prompt?.index,
    };
  }

  /** Changed files with what differs now, by path; `omitted` counts those beyond the limit. */
  async review(): Promise<{ readonly files: readonly ReviewedFile[]; readonly omitted: number }> {
    const changed = this.#changedPaths();
    const shown = changed.slice(0, maxFiles);
    const now = new Map<string, CurrentFile>();
    for (let from = 0; from < shown.length; from += maxParallelReads) {
      await Promise.all(
        shown
          .slice(from, from + maxParallelReads)
          .map(async (path) => now.set(path, await readCurrent(this.#folder, path))),
      );
    }
    const renames = this.#findRenames(now);
    const sources = new Map([...renames].map(([from, to]) => [to, from]));
    const files = shown
      .filter((path) => !renames.has(path))
      .map((path) => this.#fileOf(path, now.get(path) ?? { state: 'unreadable' }, chainFrom(path, sources)));
    return {
      files: files.filter(isShown),
      omitted: changed.length - shown.length,
    };
  }

  #add(entry: NormalizedEntry): void {
    this.#files.add(entry);
    const { index, type, content, metadata, origin } = entry;
    if (type.kind === 'user_message' && origin !== 'subagent' && metadata?.parentCallId === undefined)
      this.#prompts.push({ index, text: content });
    if (type.kind === 'system_message' && type.subtype === unreportedSubtype && index >= this.#range.since) {
      const found = unreportedChangesSchema.safeParse(metadata?.['unreported']).data;
      for (const change of found?.changes ?? []) this.#addUnreported(change);
    }
    if (type.kind !== 'tool_use') return;
    const { action, toolName } = type.tool;
    const paths =
      action.kind === 'file_edit'
        ? action.changes.map(({ path }) => path)
        : action.kind === 'file_read' || action.kind === 'file_write'
          ? [action.path]
          : [];
    for (const name of new Set(paths.map((path) => this.#files.get(path)?.path))) {
      if (name === undefined) continue;
      this.#byPath.set(name, [...(this.#byPath.get(name) ?? []), entry]);
      this.#steps.set(index, toolName);
    }
  }

  #addUnreported(change: UnreportedChange): void {
    const { path, kind, mode } = change;
    if (mode !== undefined && !this.#wasExecutable.has(path)) this.#wasExecutable.set(path, !mode.executable);
    if (mode?.only !== true) this.#otherContent.add(path);
    if (!this.#wasAddedByPath.has(path)) this.#wasAddedByPath.set(path, kind === 'added');
    // A file that a later run changed is still a new one, and one that came and went is none.
    const isNew = this.#unreportedByPath.get(path)?.kind === 'added';
    if (kind === 'deleted' && isNew && this.#wasAddedByPath.get(path) === true) this.#unreportedByPath.delete(path);
    else this.#unreportedByPath.set(path, kind === 'changed' && isNew ? { ...change, kind: 'added' } : change);
  }

  #isInRange({ by }: ReviewHunk): boolean {
    const { since, until } = this.#range;
    return until === undefined || by.some((step) => step >= since && step < until);
  }

  #changedPaths(): string[] {
    const reported = this.#files
      .all()
      .filter(({ change, last }) => change !== 'read' && last.entryIndex >= this.#range.since)
      .map(({ path }) => path);
    return [...new Set([...reported, ...this.#unreportedByPath.keys()])].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  /** New names of files that the session used, by their old ones; a file may have got several, one after the other. */
  #findRenames(now: ReadonlyMap<string, CurrentFile>): ReadonlyMap<string, string> {
    const workDir = this.#folder;
    const goneFiles = [...now].flatMap(([path, { state }]) => {
      const entries = this.#byPath.get(path);
      return state !== 'missing' || entries === undefined ? [] : [deletedFile({ path, workDir, entries })];
    });
    if (goneFiles.length === 0) return new Map();
    const found = [...now].flatMap(([path, file]) => {
      if (file.state !== 'text') return [];
      const entries = this.#byPath.get(path) ?? [];
      const isNew = this.#isNew(path);
      return isNew || entries.length > 0 ? [foundFile({ path, workDir, entries }, file.text, isNew)] : [];
    });
    const renames = found.length === 0 ? new Map<string, string>() : findRenames(goneFiles, found);
    let latest: ReadonlyMap<string, string> = renames;
    while (latest.size > 0) {
      // A file that got a new name may have got its old one in the session, too.
      const between = [...latest.keys()].flatMap((path) => {
        const later = chainFrom(path, renames);
        const last = now.get(later.at(-1) ?? '');
        const entries = this.#entriesOf([path, ...later]);
        return last?.state === 'text'
          ? [foundFile({ path, workDir, entries }, last.text, this.#isNew(path), later)]
          : [];
      });
      latest = findRenames(
        goneFiles.filter(({ path }) => !renames.has(path)),
        between,
      );
      for (const [from, to] of latest) renames.set(from, to);
    }
    return renames;
  }

  #isNew(path: string): boolean {
    const isNoted = this.#wasAddedByPath.get(path) === true || this.#unreportedByPath.get(path)?.kind === 'added';
    return isNoted || this.#files.get(path)?.change === 'added';
  }

  /** Entries that involve one of these files, in index order. */
  #entriesOf(paths: readonly string[]): NormalizedEntry[] {
    const entries = paths.flatMap((path) => this.#byPath.get(path) ?? []);
    return [...new Set(entries)].sort((a, b) => a.index - b.index);
  }

  #fileOf(path: string, now: CurrentFile, earlierPaths: readonly string[]): ReviewedFile {
    const modes = this.#findModeHunks(path, now);
    const entries = this.#entriesOf([...earlierPaths, path]);
    const isModeOnly = entries.length === 0 && this.#wasExecutable.has(path) && !this.#otherContent.has(path);
    if (isModeOnly && 'executable' in now) return { path, state: 'text', place: now.place, hunks: modes };
    if (now.state !== 'text' && now.state !== 'missing')
      return { path, state: now.state, hunks: modes, ...('place' in now && modes.length > 0 && { place: now.place }) };
    const own = this.#byPath.get(path) ?? [];
    const renamedFrom = earlierPaths.at(-1);
    const kind = this.#unreportedByPath.get(path)?.kind;
    const text = now.state === 'text' ? now.text : null;
    const isNew = kind === 'added' && renamedFrom === undefined;
    if (entries.length === 0 && !isNew) return { path, state: 'unrecorded', place: now.place, hunks: modes };
    const review = reviewFile(entries, text, {
      path,
      earlierPaths,
      workDir: this.#folder,
      since: this.#range.since,
      ...(isNew && own[0] === undefined && { start: null }),
    });
    return {
      path,
      state: now.state,
      place: now.place,
      hash: now.hash,
      review,
      hunks: [...namedHunks(review).filter((hunk) => this.#isInRange(hunk)), ...modes],
      ...(renamedFrom !== undefined && { renamedFrom }),
    };
  }

  /** What changed about the permissions of a file, in one hunk. */
  #findModeHunks(path: string, now: CurrentFile): NamedHunk[] {
    const wasExecutable = this.#wasExecutable.get(path);
    if (wasExecutable === undefined || !('executable' in now) || now.executable === wasExecutable) return [];
    const { executable } = now;
    const key = hashOf(JSON.stringify([path, 'executable', executable])).slice(0, 16);
    const hunk: NamedHunk = { base: [0, 0], now: [0, 0], by: [unreported], key, executable };
    return this.#isInRange(hunk) ? [hunk] : [];
  }
}

/** Where the steps from a name lead, one after the other. */
function chainFrom(path: string, steps: ReadonlyMap<string, string>): string[] {
  const chain: string[] = [];
  for (let at = steps.get(path); at !== undefined; at = steps.get(at)) chain.push(at);
  return chain;
}

/** Files that are as they were before are left out. */
function isShown({ state, hunks, renamedFrom, review }: ReviewedFile): boolean {
  if (hunks.length > 0 || renamedFrom !== undefined) return true;
  if (state === 'missing') return review?.isUncertain === true;
  return state !== 'text';
}

/** The order distinguishes hunks with the same text in one file. */
function namedHunks(review: FileReview): NamedHunk[] {
  const lines = review.now === null ? [] : plainLines(review.now);
  const seen = new Map<string, number>();
  return review.hunks.map((hunk) => {
    const texts = [review.path, (review.before ?? []).slice(...hunk.base), lines.slice(...hunk.now)];
    const name = hashOf(JSON.stringify(texts)).slice(0, 16);
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return { ...hunk, key: count === 0 ? name : `${name}-${count}` };
  });
}
