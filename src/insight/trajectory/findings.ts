import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ToolUse } from '../../model/transcript/tool.ts';

/** Something a reviewer may want to know, with the steps that show it, in order. */
export interface Finding {
  readonly kind: 'duplicate_read' | 'retry_loop';
  /** Entry indexes: at least two; of more than `mostSteps` the first. */
  readonly steps: readonly number[];
  /** The path that was read again, or the command or path of what failed again. */
  readonly subject: string;
}

/** Findings and what could become one; the oldest are forgotten. */
const maxFindings = 1000;
const maxWatched = 10_000;
const longestSubject = 400;
const mostSteps = 500;

interface Watched {
  steps: number[];
  /** Of what a read gave. */
  readonly content: string;
  finding: Finding | undefined;
}

/**
 * The same lines of a file read again although nothing had changed them, and the same command or edit that failed again
 * although nothing had been changed in between. Fed settled entries in index order.
 */
export class Findings {
  /** By path, then by lane and lines. */
  readonly #reads = new Map<string, Map<string, Watched>>();
  readonly #failures = new Map<string, Watched>();
  readonly #found: Finding[] = [];

  add(entry: NormalizedEntry): void {
    if (entry.origin === 'compaction') {
      // The agent no longer has what it has read.
      this.#reads.clear();
      return;
    }
    if (entry.type.kind !== 'tool_use') return;
    const { tool } = entry.type;
    const lane = tool.parentCallId ?? '';
    if (tool.action.kind === 'file_read' && tool.status === 'success') this.#read(entry.index, lane, tool);
    if (tool.status === 'failed') this.#failed(entry.index, lane, tool);
    if (tool.status === 'success' && (tool.action.kind === 'file_edit' || tool.action.kind === 'file_write'))
      this.#changed(tool);
    if (tool.status === 'success') this.#failures.delete(keyOf(lane, tool));
  }

  /** In the order in which they began. */
  all(): readonly Finding[] {
    return [...this.#found].sort((a, b) => (a.steps[0] ?? 0) - (b.steps[0] ?? 0));
  }

  #read(index: number, lane: string, { action, result }: ToolUse): void {
    // What it gave has to be in the record: else no one knows whether it was the same.
    if (action.kind !== 'file_read' || result?.text === undefined || result.text === '') return;
    const key = `${lane}\n${action.startLine ?? 1}\n${action.endLine ?? ''}`;
    const content = fingerprint(result.text);
    const ofPath = this.#reads.get(action.path) ?? new Map<string, Watched>();
    const known = ofPath.get(key);
    if (known?.content === content) this.#again(known, index, 'duplicate_read', action.path);
    else watch(ofPath, key, { steps: [index], content, finding: undefined });
    watch(this.#reads, action.path, ofPath);
  }

  #failed(index: number, lane: string, tool: ToolUse): void {
    const subject = subjectOf(tool);
    if (subject === undefined) return;
    const key = keyOf(lane, tool);
    const known = this.#failures.get(key);
    if (known === undefined) watch(this.#failures, key, { steps: [index], content: '', finding: undefined });
    else this.#again(known, index, 'retry_loop', subject);
  }

  #changed({ action }: ToolUse): void {
    if (action.kind === 'file_write') this.#reads.delete(action.path);
    if (action.kind === 'file_edit') for (const { path } of action.changes) this.#reads.delete(path);
    // With another file the same command is another attempt.
    this.#failures.clear();
  }

  #again(known: Watched, index: number, kind: Finding['kind'], subject: string): void {
    if (known.steps.length >= mostSteps || known.steps.includes(index)) return;
    known.steps = [...known.steps, index];
    const finding: Finding = { kind, steps: known.steps, subject: subject.slice(0, longestSubject) };
    const at = known.finding === undefined ? -1 : this.#found.indexOf(known.finding);
    known.finding = finding;
    if (at !== -1) this.#found[at] = finding;
    else if (this.#found.push(finding) > maxFindings) this.#found.shift();
  }
}

function watch<T>(map: Map<string, T>, key: string, watched: T): void {
  map.delete(key);
  map.set(key, watched);
  if (map.size <= maxWatched) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

function subjectOf({ action }: ToolUse): string | undefined {
  if (action.kind === 'command_run') return action.command;
  if (action.kind === 'file_edit') return action.changes[0]?.path;
  return action.kind === 'file_write' ? action.path : undefined;
}

function keyOf(lane: string, { action }: ToolUse): string {
  switch (action.kind) {
    case 'command_run':
      return `${lane}\nrun ${fingerprint(`${action.cwd ?? ''}\n${action.command}`)}`;
    case 'file_edit':
      return `${lane}\nedit ${fingerprint(JSON.stringify(action.changes.map(({ path, oldText, newText }) => [path, oldText, newText])))}`;
    case 'file_write':
      return `${lane}\nwrite ${action.path}`;
    default:
      return `${lane}\nother`;
  }
}

/** Tells texts apart, cheaply and without a promise to anybody who tries: 53 bits and the length. */
export function fingerprint(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return `${(4294967296 * (2097151 & b) + (a >>> 0)).toString(36)}-${text.length.toString(36)}`;
}
