import * as fc from 'fast-check';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { call, reads, writes } from '../../../support/sessions/madeEntries.ts';

/** One line that ever stood in the file, at its place; those that went stay in the list. */
export interface MadeLine {
  readonly id: number;
  readonly text: string;
  /** Entry of the step that wrote it, -1 for a person or a command, `null`: it was there before. */
  readonly by: number | null;
  /** Entry of the step that removed it, -1 for a person or a command. */
  removed?: number;
}

/** How a step reports its edit; `outside`: no step does. */
const kinds = ['patch', 'swap', 'write', 'twice', 'outside'] as const;

const edit = fc.record({
  at: fc.nat(1000),
  remove: fc.nat(3),
  add: fc.nat(3),
  /** Of the lines that are added. */
  text: fc.constantFrom('unique', 'unique', 'unique', 'empty', 'brace'),
});

export const historyShape = fc.record({
  lines: fc.integer({ min: 1, max: 40 }),
  crlf: fc.boolean(),
  mark: fc.boolean(),
  endsWithBreak: fc.boolean(),
  /** The agent reads the file before its first edit, and after every edit from outside. */
  readsFirst: fc.boolean(),
  steps: fc.array(
    fc.record({ kind: fc.constantFrom(...kinds), edits: fc.array(edit, { minLength: 1, maxLength: 2 }) }),
    {
      minLength: 1,
      maxLength: 9,
    },
  ),
});
export type HistoryShape = typeof historyShape extends fc.Arbitrary<infer T> ? T : never;

export interface MadeHistory {
  readonly entries: readonly NormalizedEntry[];
  readonly all: readonly MadeLine[];
  readonly base: readonly string[];
  readonly before: string;
  readonly now: string;
  /** Entries of steps, and -1, that wrote over lines of each other. */
  readonly overlaps: ReadonlyMap<number, ReadonlySet<number>>;
}

/** Plays edits on a file and reports them as an agent does. `unique`: no two lines have the same text. */
export function playHistory(shape: HistoryShape, unique: boolean): MadeHistory {
  const file = new MadeFile(shape, unique);
  for (const step of shape.steps) file.step(step);
  return file.end();
}

/** A file that edits change; `entries` is where they are reported, for one file or several. */
export class MadeFile {
  /** Changes if the file is renamed. */
  name: string;
  /** Tells the lines of several files apart. */
  readonly #label: string;
  readonly #shape: HistoryShape;
  readonly #unique: boolean;
  readonly #entries: NormalizedEntry[];
  readonly #overlaps = new Map<number, Set<number>>();
  readonly #before: string;
  readonly #base: readonly string[];
  #all: MadeLine[] = [];
  #nextId = 0;
  #isRead = false;

  constructor(shape: HistoryShape, unique: boolean, name = 'a.ts', entries: NormalizedEntry[] = []) {
    this.name = name;
    this.#label = name === 'a.ts' ? '' : ` in ${name}`;
    this.#entries = entries;
    this.#shape = shape;
    this.#unique = unique;
    for (let at = 0; at < shape.lines; at += 1) this.#all.push(this.#line(at % 7 === 3 ? 'empty' : 'unique', null));
    this.#before = this.#text();
    this.#base = this.#lines();
  }

  step({ kind, edits }: HistoryShape['steps'][number]): void {
    const index = this.#entries.length + 1;
    if (kind === 'outside') {
      for (const single of edits) this.#change(single, -1);
      this.#isRead = false;
      return;
    }
    if (this.#shape.readsFirst && !this.#isRead) {
      this.read();
      this.step({ kind, edits });
      return;
    }
    const before = this.#alive();
    const text = this.#lf();
    const swap = kind === 'swap' ? edits.slice(0, 1) : edits;
    for (const single of kind === 'twice' ? edits : swap) this.#change(single, index);
    const after = this.#alive();
    if (after.length === before.length && after.every((line, at) => line === before[at])) return;
    if (kind === 'write') {
      this.#entries.push(call(index, writes(this.name, this.#lf())));
      return;
    }
    const whole = { path: this.name, kind: 'update' as const };
    const replaced = kind === 'swap' ? swapOf(text, before, after) : undefined;
    const change = replaced ?? { patch: patchOf(before, after) };
    const changes =
      kind === 'twice'
        ? [
            { ...whole, oldText: 'x', newText: 'y' },
            { ...whole, ...change },
          ]
        : [{ ...whole, ...change }];
    this.#entries.push(call(index, { kind: 'file_edit', changes }));
  }

  /** The file as an agent writes it: without a byte order mark, and with simple line breaks. */
  get plainText(): string {
    return this.#lf();
  }

  ensureRead(): void {
    if (!this.#isRead) this.read();
  }

  /** The agent saw the file as it is. */
  read(): void {
    const numbered = this.#alive().map(({ text }, at) => `${at + 1}\t${text}`);
    this.#entries.push(
      call(this.#entries.length + 1, reads(this.name, { startLine: 1, totalLines: numbered.length }), {
        result: { text: numbered.join('\n') },
      }),
    );
    this.#isRead = true;
  }

  end(): MadeHistory {
    return {
      entries: this.#entries,
      all: this.#all,
      base: this.#base,
      before: this.#before,
      now: this.#text(),
      overlaps: this.#overlaps,
    };
  }

  #alive(): MadeLine[] {
    return this.#all.filter(({ removed }) => removed === undefined);
  }

  #lines(): string[] {
    return this.#lf().split('\n');
  }

  #lf(): string {
    const lines = this.#alive().map(({ text }) => text);
    return lines.join('\n') + (this.#shape.endsWithBreak && lines.length > 0 ? '\n' : '');
  }

  #text(): string {
    const { crlf, mark } = this.#shape;
    return (mark ? '\uFEFF' : '') + (crlf ? this.#lf().replaceAll('\n', '\r\n') : this.#lf());
  }

  #line(kind: string, by: number | null): MadeLine {
    const id = this.#nextId++;
    const shown =
      this.#unique || kind === 'unique' ? `line ${id} of ${String(by)}${this.#label}` : kind === 'brace' ? '}' : '';
    return { id, text: shown, by };
  }

  #change({ at, remove, add, text }: HistoryShape['steps'][number]['edits'][number], by: number): void {
    const alive = this.#alive();
    const from = at % (alive.length + 1);
    // One line stays, so that the file is not empty: an empty file has no last line break.
    const gone = alive.slice(from, from + Math.min(remove, alive.length - 1));
    for (const line of gone) {
      line.removed = by;
      if (line.by !== null && line.by !== by) this.#overlap(line.by, by);
    }
    const next = Array.from({ length: add }, () => this.#line(text, by));
    const behind = gone.at(-1) ?? alive[from - 1];
    this.#all.splice(behind === undefined ? 0 : this.#all.indexOf(behind) + 1, 0, ...next);
  }

  #overlap(one: number, other: number): void {
    for (const [a, b] of [
      [one, other],
      [other, one],
    ] as const) {
      this.#overlaps.set(a, (this.#overlaps.get(a) ?? new Set()).add(b));
    }
  }
}

interface Place {
  readonly line: MadeLine;
  readonly mark: ' ' | '+' | '-';
}

function merged(before: readonly MadeLine[], after: readonly MadeLine[]): Place[] {
  const stays = new Set(after);
  const known = new Set(before);
  const places: Place[] = [];
  let at = 0;
  for (const line of before) {
    if (!stays.has(line)) {
      places.push({ line, mark: '-' });
      continue;
    }
    while (at < after.length && after[at] !== line) places.push({ line: after[at++]!, mark: '+' });
    at += 1;
    places.push({ line, mark: ' ' });
  }
  while (at < after.length) places.push({ line: after[at++]!, mark: '+' });
  return places.filter(({ line, mark }) => mark !== '+' || !known.has(line));
}

/** A unified diff with three lines around each change. */
function patchOf(before: readonly MadeLine[], after: readonly MadeLine[]): string {
  const places = merged(before, after);
  const near = places.map((_, at) => places.slice(Math.max(0, at - 3), at + 4).some(({ mark }) => mark !== ' '));
  const lines: string[] = [];
  let [old, now] = [1, 1];
  for (const [at, { line, mark }] of places.entries()) {
    if (near[at] === true) {
      if (near[at - 1] !== true) {
        const length = near.indexOf(false, at) === -1 ? near.length : near.indexOf(false, at);
        const hunk = places.slice(at, length);
        const count = (other: string) => hunk.filter((place) => place.mark !== other).length;
        const start = (line_: number, lines_: number) => (lines_ === 0 ? line_ - 1 : line_);
        lines.push(`@@ -${start(old, count('+'))},${count('+')} +${start(now, count('-'))},${count('-')} @@`);
      }
      lines.push(mark + line.text);
    }
    if (mark !== '+') old += 1;
    if (mark !== '-') now += 1;
  }
  return lines.join('\n');
}

/** The lines that change with enough around them to be the only ones; `undefined` where there are none such. */
function swapOf(
  text: string,
  before: readonly MadeLine[],
  after: readonly MadeLine[],
): { oldText: string; newText: string } | undefined {
  let [start, ends] = [0, 0];
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1;
  while (ends < Math.min(before.length, after.length) - start && before.at(-1 - ends) === after.at(-1 - ends))
    ends += 1;
  for (let around = 0; around <= before.length; around += 1) {
    const [from, to] = [Math.max(0, start - around), Math.min(ends, Math.max(0, ends - around))];
    const oldText = before
      .slice(from, before.length - to)
      .map((line) => line.text)
      .join('\n');
    const newText = after
      .slice(from, after.length - to)
      .map((line) => line.text)
      .join('\n');
    if (oldText !== '' && newText !== '' && text.split(oldText).length === 2) return { oldText, newText };
  }
  return undefined;
}
