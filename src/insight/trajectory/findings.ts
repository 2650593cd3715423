import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ToolUse } from '../../model/transcript/tool.ts';

/** Repeated steps that a reviewer may want to know, in order. */
export interface Finding {
  readonly kind: 'duplicate_read' | 'retry_loop';
  /** Entry indexes: at least two; the first `maxSteps` of more. */
  readonly steps: readonly number[];
  /** The path that was read again, or the command or path that failed again. */
  readonly subject: string;
}

/** Findings and candidates; the oldest are dropped. */
const maxFindings = 1000;
const maxWatched = 10_000;
const longestSubject = 400;
const maxSteps = 500;

interface WatchedCall {
  steps: number[];
  /** Hash of a read's result. */
  readonly content: string;
  finding: Finding | undefined;
}

/**
 * Finds reads of the same unchanged lines, and failures of the same command or edit without a change in between. Add
 * settled entries in index order.
 */
export class Findings {
  /** Reads by path, then by lane and lines. */
  readonly #readsByPath = new Map<string, Map<string, WatchedCall>>();
  readonly #failures = new Map<string, WatchedCall>();
  readonly #findings: Finding[] = [];

  add(entry: NormalizedEntry): void {
    if (entry.origin === 'compaction') {
      // The agent no longer has what it read.
      this.#readsByPath.clear();
      return;
    }
    if (entry.type.kind !== 'tool_use') return;
    const { tool } = entry.type;
    const lane = tool.parentCallId ?? '';
    if (tool.action.kind === 'file_read' && tool.status === 'success') this.#read(entry.index, lane, tool);
    if (tool.status === 'failed') this.#addFailure(entry.index, lane, tool);
    if (tool.status === 'success' && (tool.action.kind === 'file_edit' || tool.action.kind === 'file_write'))
      this.#handleFileChange(tool);
    if (tool.status === 'success') this.#failures.delete(keyOf(lane, tool));
  }

  /** Findings in the order in which they began. */
  all(): readonly Finding[] {
    return [...this.#findings].sort((a, b) => (a.steps[0] ?? 0) - (b.steps[0] ?? 0));
  }

  #read(index: number, lane: string, { action, result }: ToolUse): void {
    // The result must be recorded, otherwise it cannot be compared.
    if (action.kind !== 'file_read' || result?.text === undefined || result.text === '') return;
    const key = `${lane}\n${action.startLine ?? 1}\n${action.endLine ?? ''}`;
    const content = fingerprint(result.text);
    const ofPath = this.#readsByPath.get(action.path) ?? new Map<string, WatchedCall>();
    const known = ofPath.get(key);
    if (known?.content === content) this.#addRepeat(known, index, 'duplicate_read', action.path);
    else watch(ofPath, key, { steps: [index], content, finding: undefined });
    watch(this.#readsByPath, action.path, ofPath);
  }

  #addFailure(index: number, lane: string, tool: ToolUse): void {
    const subject = subjectOf(tool);
    if (subject === undefined) return;
    const key = keyOf(lane, tool);
    const known = this.#failures.get(key);
    if (known === undefined) watch(this.#failures, key, { steps: [index], content: '', finding: undefined });
    else this.#addRepeat(known, index, 'retry_loop', subject);
  }

  #handleFileChange({ action }: ToolUse): void {
    if (action.kind === 'file_write') this.#readsByPath.delete(action.path);
    if (action.kind === 'file_edit') for (const { path } of action.changes) this.#readsByPath.delete(path);
    // With a changed file, the same command is a new attempt.
    this.#failures.clear();
  }

  #addRepeat(known: WatchedCall, index: number, kind: Finding['kind'], subject: string): void {
    if (known.steps.length >= maxSteps || known.steps.includes(index)) return;
    known.steps = [...known.steps, index];
    const finding: Finding = { kind, steps: known.steps, subject: subject.slice(0, longestSubject) };
    const at = known.finding === undefined ? -1 : this.#findings.indexOf(known.finding);
    known.finding = finding;
    if (at !== -1) this.#findings[at] = finding;
    else if (this.#findings.push(finding) > maxFindings) this.#findings.shift();
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

/** Distinguishes texts: 53 bits and the length; not secure. */
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
