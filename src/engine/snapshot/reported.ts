import { posix } from 'node:path';
import { FileHistory } from '../../insight/files/history.ts';
import { normalPath } from '../../insight/citations/sources/pathNames.ts';
import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import type { FileChange, ToolAction } from '../../model/transcript/tool.ts';

type WriteChange = Extract<ToolAction, { kind: 'file_write' | 'file_edit' }>;

/** Maximum characters of edits in memory; further edits are known by path only. */
const maxCharacters = 32 << 20;

/** Changes that the tool calls of one run report. */
export class ReportedChanges {
  readonly #folders: readonly string[];
  readonly #entries = new Map<number, NormalizedEntry>();
  readonly #paths = new Map<string, Set<number>>();
  readonly #realPaths = new Map<string, string>();
  #characters = 0;

  /** `folders`: all names of the run's folder, because agents resolve links differently. */
  constructor(folders: readonly string[]) {
    this.#folders = folders.map((folder) => posix.normalize(normalPath(folder, '')));
  }

  apply(updates: readonly EntryUpdate[]): void {
    for (const update of updates) {
      if (update.op !== 'put') continue;
      const { entry } = update;
      if (entry.type.kind !== 'tool_use') continue;
      const { action, status } = entry.type.tool;
      if (action.kind !== 'file_write' && action.kind !== 'file_edit') continue;
      // A denied or failed call changed nothing; a cancelled one may have.
      const hasHappened = status !== 'denied' && status !== 'failed';
      const own = withPaths(action, (path) => this.#pathInFolder(path));
      const paths = own.kind === 'file_write' ? [own.path] : own.changes.map((change) => change.path);
      for (const path of paths) this.#addPath(path, entry.index, hasHappened);
      this.#keep({ ...entry, type: { kind: 'tool_use', tool: { ...entry.type.tool, action: own } } });
    }
  }

  has(path: string): boolean {
    return (this.#paths.get(path)?.size ?? 0) > 0;
  }

  /** Whether a reported change may have created the file. */
  mayCreate(path: string): boolean {
    return [...(this.#paths.get(path) ?? [])].some((index) => {
      const type = this.#entries.get(index)?.type;
      // A change beyond the limit is known by path only.
      if (type?.kind !== 'tool_use') return true;
      const { action } = type.tool;
      if (action.kind !== 'file_edit') return true;
      return action.changes.some((change) => this.#nameOf(change.path) === path && mayCreate(change));
    });
  }

  /** Paths of all reported changes. */
  get paths(): string[] {
    return [...this.#paths].flatMap(([path, indexes]) => (indexes.size > 0 ? [path] : []));
  }

  /** `path` is a link to `real`: reported changes of one apply to the other. */
  addRealPath(path: string, real: string): void {
    this.#realPaths.set(path, real);
    const indexes = this.#paths.get(path) ?? [];
    this.#paths.set(real, new Set([...(this.#paths.get(real) ?? []), ...indexes]));
  }

  /** Expected text of a file after the reported changes; `undefined` if they are not exact. */
  textAfter(path: string, before: string | null): string | null | undefined {
    const history = new FileHistory(path, '', before);
    for (const index of [...(this.#paths.get(path) ?? [])].sort((a, b) => a - b)) {
      const entry = this.#entries.get(index);
      if (entry?.type.kind !== 'tool_use' || entry.type.tool.status !== 'success') return undefined;
      history.add(mapPaths(entry, (name) => this.#nameOf(name)));
    }
    return history.isExact ? history.after : undefined;
  }

  #nameOf(path: string): string {
    return this.#realPaths.get(path) ?? path;
  }

  #pathInFolder(path: string): string {
    const plain = posix.normalize(normalPath(path, ''));
    return this.#folders.reduce((shown, folder) => normalPath(shown, folder), plain);
  }

  #addPath(path: string, index: number, hasHappened: boolean): void {
    const indexes = this.#paths.get(path) ?? new Set();
    if (hasHappened) indexes.add(index);
    else indexes.delete(index);
    this.#paths.set(path, indexes);
  }

  #keep(entry: NormalizedEntry): void {
    const before = this.#entries.get(entry.index);
    this.#characters += sizeOf(entry) - (before === undefined ? 0 : sizeOf(before));
    if (this.#characters <= maxCharacters) this.#entries.set(entry.index, entry);
    else {
      this.#characters -= sizeOf(entry);
      this.#entries.delete(entry.index);
    }
  }
}

/** Some agents report a new file as an edit of nothing. */
function mayCreate({ kind, oldText = '', patch = '' }: FileChange): boolean {
  return kind === 'add' || (oldText === '' && !/^[ -]/m.test(patch));
}

function withPaths(action: WriteChange, of: (path: string) => string): WriteChange {
  if (action.kind === 'file_write') return { ...action, path: of(action.path) };
  return { ...action, changes: action.changes.map((change) => ({ ...change, path: of(change.path) })) };
}

function mapPaths(entry: NormalizedEntry, of: (path: string) => string): NormalizedEntry {
  if (entry.type.kind !== 'tool_use') return entry;
  const { tool } = entry.type;
  const { action } = tool;
  if (action.kind !== 'file_write' && action.kind !== 'file_edit') return entry;
  return { ...entry, type: { kind: 'tool_use', tool: { ...tool, action: withPaths(action, of) } } };
}

function sizeOf({ type }: NormalizedEntry): number {
  if (type.kind !== 'tool_use') return 0;
  const { action } = type.tool;
  if (action.kind === 'file_write') return action.content?.length ?? 0;
  if (action.kind !== 'file_edit') return 0;
  return action.changes.reduce(
    (sum, { oldText, newText, patch }) => sum + (oldText?.length ?? 0) + (newText?.length ?? 0) + (patch?.length ?? 0),
    0,
  );
}
