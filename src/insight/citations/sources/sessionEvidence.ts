import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import { StepNumbers } from '../../../model/transcript/steps.ts';
import { baseName } from './pathNames.ts';
import { looksLikeCommand } from '../commands/programs.ts';
import { factOfStep, type StepFacts, type Touch, type UrlTouch } from './stepFacts.ts';
import type { LaterChange } from '../types.ts';
import { normalUrl } from './urls.ts';

/** A key under which steps are found. */
export interface StepMatch<T> {
  readonly facts: StepFacts;
  readonly what: T;
}

/** Keys (paths, URLs, commands) in memory; the oldest are dropped first. */
const maxKeys = 100_000;
/** Steps kept per key: the newest. */
const maxPerKey = 64;

/**
 * Finds the steps of one session that are evidence. Add entries in index order, and again when they change. Keeps only keys,
 * never texts, so that a session of 100,000 entries fits into memory.
 */
export class SessionEvidence {
  readonly workDir: string;
  readonly #numbers: StepNumbers;
  readonly #paths = new KeyedLists<Touch>();
  readonly #names = new Map<string, Set<string>>();
  readonly #touchesByUrl = new KeyedLists<UrlTouch>();
  readonly #commands = new KeyedLists<string>();
  readonly #heads = new Map<string, Set<string>>();
  readonly #runs: StepMatch<string>[] = [];
  /** Steps that changed files, and those that changed more than texts; in entry order. */
  readonly #changes: LaterChange[] = [];
  readonly #codeChanges: LaterChange[] = [];
  readonly #settledStatuses = new Map<number, string>();

  /** `stepsBefore`: tool calls of the main conversation before the first entry that will be added. */
  constructor(workDir: string, stepsBefore = 0) {
    this.workDir = workDir;
    this.#numbers = new StepNumbers(stepsBefore);
  }

  add(entry: NormalizedEntry): void {
    const step = this.#numbers.add(entry);
    if (step === undefined || entry.type.kind !== 'tool_use') return;
    const { tool } = entry.type;
    if (tool.status === 'created' || tool.status === 'running') return;
    const before = this.#settledStatuses.get(entry.index);
    if (before === tool.status) return;
    this.#settledStatuses.set(entry.index, tool.status);
    const { facts, touches, urls, commands, changed } = factOfStep(entry, tool, step, this.workDir);
    for (const touch of touches) {
      this.#paths.put(touch.path, { facts, what: touch });
      link(this.#names, baseName(touch.path).toLowerCase(), touch.path);
    }
    for (const url of urls) this.#touchesByUrl.put(normalUrl(url.url), { facts, what: url });
    for (const command of commands) {
      this.#commands.put(command, { facts, what: command });
      const head = headOf(command);
      if (head !== undefined) link(this.#heads, head, command);
      const program = programOf(command);
      if (program !== undefined) link(this.#heads, program, command);
    }
    if (changed !== undefined) {
      const change = { entryIndex: entry.index, step, path: changed.path };
      insert(this.#changes, change);
      if (!changed.isText) insert(this.#codeChanges, change);
    }
    const at = before === undefined ? -1 : this.#runs.findIndex((run) => run.facts.entryIndex === entry.index);
    if (facts.command === undefined || facts.outcomes.size === 0) {
      if (at !== -1) this.#runs.splice(at, 1);
      return;
    }
    const run = { facts, what: facts.command };
    if (at === -1) this.#runs.push(run);
    else this.#runs[at] = run;
  }

  /** Steps before entry `before` that involved exactly this path, newest first. */
  touchesOf(path: string, before: number): StepMatch<Touch>[] {
    return this.#paths.get(path, before);
  }

  /** Paths of the session whose last part is `name`. */
  pathsNamed(name: string): readonly string[] {
    return [...(this.#names.get(name.toLowerCase()) ?? [])];
  }

  urlsLike(url: string, before: number): StepMatch<UrlTouch>[] {
    return this.#touchesByUrl.get(normalUrl(url), before);
  }

  findExactRuns(command: string, before: number): StepMatch<string>[] {
    return this.#commands.get(command, before);
  }

  /** Commands that begin with these words. */
  commandsStartingWith(prefix: string, before: number): StepMatch<string>[] {
    const head = headOf(prefix);
    if (head === undefined) return [];
    const commands = [...(this.#heads.get(head) ?? [])].filter((command) => command.startsWith(prefix));
    return commands.flatMap((command) => this.#commands.get(command, before));
  }

  /** The last step between two entries that changed files; `texts`: including notes and manuals. */
  changeBetween(after: number, before: number, texts: boolean): LaterChange | undefined {
    const all = texts ? this.#changes : this.#codeChanges;
    const last = all[placeOf(all, before) - 1];
    return last !== undefined && last.entryIndex > after ? last : undefined;
  }

  /** Commands that test, build or check something, newest first. */
  runsBefore(before: number): StepMatch<string>[] {
    const end = this.#runs.findLastIndex(({ facts }) => facts.entryIndex < before);
    return this.#runs.slice(Math.max(0, end + 1 - maxPerKey), end + 1).reverse();
  }
}

/** How many of these precede an entry. */
function placeOf(changes: readonly LaterChange[], before: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.entryIndex ?? Infinity) < before) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(changes: LaterChange[], change: LaterChange): void {
  const at = placeOf(changes, change.entryIndex);
  changes.splice(at, changes[at]?.entryIndex === change.entryIndex ? 1 : 0, change);
  if (changes.length > maxKeys) changes.splice(0, maxKeys / 2);
}

/** The first two words of a command, or its only one. */
function headOf(command: string): string | undefined {
  return (/^\S+ \S+/.exec(command) ?? /^\S+ (?=$)/.exec(command))?.[0];
}

/** The name of a program that people often mention without arguments; not `make` and similar, whose arguments matter. */
function programOf(command: string): string | undefined {
  const [, name, rest = ''] = /^(\S+) (\S)/.exec(command) ?? [];
  if (name === undefined || !looksLikeCommand(name)) return undefined;
  return rest === '-' || !/^(?:make|just)$/.test(name) ? `${name} ` : undefined;
}

function link(map: Map<string, Set<string>>, key: string, value: string): void {
  const known = map.get(key);
  if (known === undefined) {
    map.set(key, new Set([value]));
    if (map.size > maxKeys) deleteOldest(map);
  } else if (known.size < maxPerKey) known.add(value);
}

function deleteOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}

/** Steps by key, in entry order; adding a step again replaces it. */
class KeyedLists<T> {
  readonly #matchesByKey = new Map<string, StepMatch<T>[]>();

  put(key: string, known: StepMatch<T>): void {
    const all = this.#matchesByKey.get(key);
    if (all === undefined) {
      this.#matchesByKey.set(key, [known]);
      if (this.#matchesByKey.size > maxKeys) deleteOldest(this.#matchesByKey);
      return;
    }
    const last = all.at(-1);
    if (last !== undefined && last.facts.entryIndex > known.facts.entryIndex) {
      const at = all.findIndex(({ facts }) => facts.entryIndex >= known.facts.entryIndex);
      const same = all[at]?.facts.entryIndex === known.facts.entryIndex && all[at].facts !== known.facts;
      all.splice(at, same ? 1 : 0, known);
    } else if (last?.facts.entryIndex === known.facts.entryIndex && last.facts !== known.facts)
      all[all.length - 1] = known;
    else all.push(known);
    if (all.length > maxPerKey) all.shift();
  }

  get(key: string, before: number): StepMatch<T>[] {
    const found: StepMatch<T>[] = [];
    for (const known of (this.#matchesByKey.get(key) ?? []).toReversed())
      if (known.facts.entryIndex < before) found.push(known);
    return found;
  }
}
