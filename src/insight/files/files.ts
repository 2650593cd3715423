import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { StepNumbers } from '../../model/transcript/steps.ts';
import type { FileChange } from '../../model/transcript/tool.ts';
import { normalPath } from '../citations/sources/pathNames.ts';
import { foundFiles } from './foundFiles.ts';
import { changedLines } from './lineDiff.ts';
import { hunksOf } from './patch.ts';

export interface StepRef {
  readonly entryIndex: number;
  /** Step number, as in the gutter of the transcript. */
  readonly number: string;
}

/** A file that a session read or changed. */
export interface SessionFile {
  /** Relative to the session's folder if inside it. */
  readonly path: string;
  /** Kind of change from recorded edits; otherwise `read`. */
  readonly change: 'read' | 'added' | 'changed' | 'deleted';
  readonly first: StepRef;
  readonly last: StepRef;
  /** Steps that read or changed it. */
  readonly touches: number;
  readonly added: number;
  readonly removed: number;
  /** False if a change did not say how many lines it had. */
  readonly counted: boolean;
  /** Steps for `FileHistory`, in order, at most `maxSteps`. */
  readonly steps: readonly number[];
}

const maxFiles = 50_000;
const maxSteps = 10_000;
const maxFound = 5000;

interface MutableFile extends SessionFile {
  steps: number[];
}

/** Files that a session read and changed, from its tool calls. Add each settled entry once, in index order. */
export class SessionFiles {
  readonly #workDir: string;
  readonly #numbers: StepNumbers;
  readonly #files = new Map<string, MutableFile>();
  readonly #foundPaths = new Map<string, StepRef>();
  readonly #countedEntries = new Set<number>();
  #omitted = 0;

  /** `stepsBefore`: tool calls of the main conversation before the first entry that will be added. */
  constructor(workDir: string, stepsBefore = 0) {
    this.#workDir = workDir;
    this.#numbers = new StepNumbers(stepsBefore);
  }

  add(entry: NormalizedEntry): void {
    const number = this.#numbers.add(entry);
    if (number === undefined || entry.type.kind !== 'tool_use') return;
    const { action, status, result } = entry.type.tool;
    // A denied or failed call did not read or change anything; an interrupted one may have.
    if ((status !== 'success' && status !== 'cancelled') || this.#countedEntries.has(entry.index)) return;
    const step: StepRef = { entryIndex: entry.index, number };
    if (action.kind === 'file_read' && status === 'success') this.#addTouch(action.path, step, undefined);
    else if (action.kind === 'file_write') {
      const lines = action.content?.split('\n').length;
      const ended = action.content?.endsWith('\n') === true || action.content === '' ? 1 : 0;
      this.#addTouch(action.path, step, {
        kind: 'write',
        added: lines === undefined ? undefined : lines - ended,
        removed: 0,
      });
    } else if (action.kind === 'file_edit') {
      for (const { change, counts } of counted(action.changes))
        this.#addTouch(change.path, step, { kind: change.kind, ...counts });
    } else if (action.kind === 'search' && status === 'success') this.#search(result?.text ?? '', step);
    else return;
    this.#countedEntries.add(entry.index);
  }

  /** Changed files first, then those only read; in order of first use. */
  all(): SessionFile[] {
    const files = [...this.#files.values()];
    return [...files.filter(({ change }) => change !== 'read'), ...files.filter(({ change }) => change === 'read')];
  }

  /** Files in search results that no call used, with the first search. */
  filesFoundBySearch(): { readonly path: string; readonly step: StepRef }[] {
    return [...this.#foundPaths].flatMap(([path, step]) => (this.#files.has(path) ? [] : [{ path, step }]));
  }

  get(path: string): SessionFile | undefined {
    return this.#files.get(normalPath(path, this.#workDir));
  }

  /** The gutter number of an added step. */
  numberOf(entryIndex: number): string | undefined {
    return this.#numbers.numberOf(entryIndex);
  }

  /** Files beyond the limit. */
  get omitted(): number {
    return this.#omitted;
  }

  #search(result: string, step: StepRef): void {
    for (const foundFile of foundFiles(result)) {
      const path = normalPath(foundFile, this.#workDir);
      if (this.#foundPaths.size < maxFound && !this.#foundPaths.has(path)) this.#foundPaths.set(path, step);
    }
  }

  #addTouch(
    rawPath: string,
    step: StepRef,
    change: { kind: 'write' | FileChange['kind']; added: number | undefined; removed: number | undefined } | undefined,
  ): void {
    const path = normalPath(rawPath, this.#workDir);
    const known = this.#files.get(path);
    if (known === undefined && this.#files.size >= maxFiles) {
      this.#omitted += 1;
      return;
    }
    const again = known?.last.entryIndex === step.entryIndex;
    // Lines removed by a write are known only if the file did not exist, or if there is a diff.
    const unsure =
      change !== undefined &&
      (change.added === undefined || change.removed === undefined || (change.kind === 'write' && known !== undefined));
    const steps = known?.steps ?? [];
    if (!again && steps.length < maxSteps) steps.push(step.entryIndex);
    this.#files.set(path, {
      path,
      change: changeOf(known?.change, change?.kind),
      first: known?.first ?? step,
      last: step,
      touches: (known?.touches ?? 0) + (again ? 0 : 1),
      added: (known?.added ?? 0) + (change?.added ?? 0),
      removed: (known?.removed ?? 0) + (change?.removed ?? 0),
      counted: (known?.counted ?? true) && !unsure,
      steps,
    });
  }
}

function changeOf(
  known: SessionFile['change'] | undefined,
  kind: 'write' | FileChange['kind'] | undefined,
): SessionFile['change'] {
  if (kind === undefined) return known ?? 'read';
  if (kind === 'delete') return 'deleted';
  if (kind === 'add') return known === undefined || known === 'added' ? 'added' : 'changed';
  // A file that was written before it was read may be new: the call does not say.
  return known === 'added' ? 'added' : 'changed';
}

interface Counts {
  readonly added: number | undefined;
  readonly removed: number | undefined;
}

/** If only one change of a file has a diff, it covers all that the call did to that file. */
function counted(changes: readonly FileChange[]): { readonly change: FileChange; readonly counts: Counts }[] {
  const said = new Set(changes.flatMap((change) => (hasCounts(change) ? [change.path] : [])));
  return changes.map((change) => {
    const other = said.has(change.path) && !hasCounts(change);
    return { change, counts: other ? { added: 0, removed: 0 } : countsOf(change) };
  });
}

function hasCounts({ added, removed, patch }: FileChange): boolean {
  return patch !== undefined || (added !== undefined && removed !== undefined);
}

function countsOf({ kind, added, removed, patch, oldText, newText }: FileChange): Counts {
  if (added !== undefined && removed !== undefined) return { added, removed };
  if (patch !== undefined) {
    const lines = hunksOf(patch).flatMap((hunk) => hunk.lines);
    return {
      added: lines.filter(({ mark }) => mark === '+').length,
      removed: lines.filter(({ mark }) => mark === '-').length,
    };
  }
  if (newText === undefined && oldText === undefined) return { added: undefined, removed: undefined };
  // Only the file shows what a new text replaced.
  if (kind === 'update' && oldText === undefined) return { added: linesOf(newText).length, removed: undefined };
  return changedLines(linesOf(oldText), linesOf(newText));
}

function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
