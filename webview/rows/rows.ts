import type { ToolUse } from '../../src/model/transcript/tool.ts';
import type { PageEntry } from '../../src/protocol/panel/messages.ts';
import type { Turn } from '../../src/model/session/turn.ts';
import { endKey, entryKey, gapKey, turnKey } from './rowKeys.ts';

/** Contents of a hidden range. */
export interface HiddenCounts {
  readonly steps: number;
  /** Steps that failed or were denied. */
  readonly failed: number;
  readonly thoughts: number;
  /** Messages of subagents. */
  readonly messages: number;
  /** Automatic messages to the agent. */
  readonly automatic: number;
  /** Notes of the program. */
  readonly system: number;
}

/** One row of the list. `turn` is its turn's index in `turns`, -1 before the first. */
export type Row = { readonly key: string; readonly turn: number } & (
  | { readonly kind: 'turn'; readonly view: Turn }
  | { readonly kind: 'end'; readonly view: Turn }
  /** Entries that are not loaded, from `from` to `to` (exclusive). */
  | { readonly kind: 'gap'; readonly from: number; readonly to: number }
  | { readonly kind: 'noise'; readonly index: number; readonly count: number; readonly open: boolean }
  | { readonly kind: 'group'; readonly indexes: readonly number[]; readonly open: boolean }
  /** Rows that the level of detail hides. */
  | { readonly kind: 'hidden'; readonly counts: HiddenCounts; readonly open: boolean }
  /** After the last entry of a session that can be resumed. */
  | { readonly kind: 'resume' }
  /** `part`: position in a message with several rows. */
  | { readonly kind: 'entry'; readonly index: number; readonly part: number; readonly depth: number }
);

/** Assumed height in px of entries that are not loaded. */
export function gapHeight({ from, to }: { readonly from: number; readonly to: number }): number {
  return (to - from) * 28;
}

export interface RowSource {
  readonly entryCount: number;
  readonly turns: readonly Turn[];
  /** Entries per page; missing ones are requested by page. */
  readonly pageSize: number;
  entry(index: number): PageEntry | undefined;
  /** Whether any entry of a page is loaded; avoids checking each. */
  hasPage(page: number): boolean;
  /** Rows of a message; 1 for most. */
  parts(entry: PageEntry): number;
  /** Whether the reader closed something that starts open (subagents, parallel calls). */
  isClosed(key: string): boolean;
  /** Whether the reader opened the system lines of a run. */
  isNoiseOpen(runId: string): boolean;
}

/** System lines without information about the work. */
const noise = new Set([
  'status',
  'result',
  'hook_started',
  'hook_progress',
  'hook_response',
  'task_started',
  'task_progress',
  'task_updated',
  'task_notification',
  'background_tasks_changed',
  'thinking_tokens',
  'ui_invalidate',
  'rate_limit_event',
  'tool_progress',
  'tool_use_summary',
  'prompt_suggestion',
  'keep_alive',
  'control_request',
  'control_response',
  'control_cancel_request',
  'files_persisted',
]);

export function isNoise({ type }: PageEntry): boolean {
  return type.kind === 'system_message' && type.subtype !== undefined && noise.has(type.subtype);
}

const endings = new Set<Turn['status']>(['failed', 'stopped', 'interrupted']);

/** Rows of all loaded entries, with a row for each range that is not loaded. */
export function buildRows(source: RowSource): Row[] {
  return new RowBuilder(source).build();
}

class RowBuilder {
  readonly #source: RowSource;
  readonly #rows: Row[] = [];
  readonly #calls = new Map<string, { readonly depth: number; readonly isHidden: boolean }>();
  #turn = -1;
  #gapFrom: number | undefined;
  #noiseRow: number | undefined;
  #group:
    | { readonly indexes: number[]; readonly parent: string | undefined; readonly depth: number; end: number }
    | undefined;

  constructor(source: RowSource) {
    this.#source = source;
  }

  build(): Row[] {
    const { entryCount, pageSize } = this.#source;
    for (let page = 0; page * pageSize < entryCount; page++) {
      const end = Math.min(entryCount, (page + 1) * pageSize);
      if (this.#source.hasPage(page)) {
        for (let index = page * pageSize; index < end; index++) this.#addRow(index);
      } else {
        this.#skip(page * pageSize, end);
      }
      this.#closeGap(end);
    }
    this.#closeGroup();
    this.#addTurnsUpTo(Infinity);
    this.#endTurn();
    return this.#rows;
  }

  #skip(from: number, to: number): void {
    this.#closeGroup();
    this.#gapFrom ??= from;
    for (let next = this.#nextTurnStart(); next < to; next = this.#nextTurnStart()) {
      this.#closeGap(next);
      this.#addTurnsUpTo(next);
      this.#gapFrom = Math.max(next, from);
    }
  }

  #addRow(index: number): void {
    const entry = this.#source.entry(index);
    if (entry === undefined) {
      this.#skip(index, index + 1);
      return;
    }
    this.#closeGap(index);
    if (this.#nextTurnStart() <= index) {
      this.#closeGroup();
      this.#addTurnsUpTo(index);
    }
    if (isNoise(entry)) this.#addNoise(entry);
    else this.#addEntryRow(entry);
  }

  #nextTurnStart(): number {
    return this.#source.turns[this.#turn + 1]?.firstIndex ?? Infinity;
  }

  #addTurnsUpTo(index: number): void {
    for (let view = this.#source.turns[this.#turn + 1]; view !== undefined; view = this.#source.turns[this.#turn + 1]) {
      if (view.firstIndex > index) return;
      this.#endTurn();
      this.#turn += 1;
      this.#noiseRow = undefined;
      this.#rows.push({ kind: 'turn', key: turnKey(view.runId), turn: this.#turn, view });
    }
  }

  #endTurn(): void {
    const view = this.#source.turns[this.#turn];
    if (view === undefined || !endings.has(view.status)) return;
    this.#rows.push({ kind: 'end', key: endKey(view.runId), turn: this.#turn, view });
  }

  #closeGap(to: number): void {
    const from = this.#gapFrom;
    this.#gapFrom = undefined;
    if (from === undefined || from >= to) return;
    this.#rows.push({ kind: 'gap', key: gapKey(from), turn: this.#turn, from, to });
  }

  #addNoise(entry: PageEntry): void {
    const runId = this.#source.turns[this.#turn]?.runId ?? '';
    const open = this.#source.isNoiseOpen(runId);
    const row = this.#noiseRow === undefined ? undefined : this.#rows[this.#noiseRow];
    if (row?.kind === 'noise' && this.#noiseRow !== undefined) {
      this.#rows[this.#noiseRow] = { ...row, count: row.count + 1 };
    } else {
      this.#closeGroup();
      this.#noiseRow = this.#rows.length;
      this.#rows.push({ kind: 'noise', key: `n:${runId}`, turn: this.#turn, index: entry.index, count: 1, open });
    }
    if (open) {
      this.#closeGroup();
      this.#push(entry, 0);
    }
  }

  #addEntryRow(entry: PageEntry): void {
    const tool = entry.type.kind === 'tool_use' ? entry.type.tool : undefined;
    const parent = tool?.parentCallId ?? entry.metadata?.parentCallId;
    const above = parent === undefined ? undefined : this.#calls.get(parent);
    const depth = parent === undefined ? 0 : (above?.depth ?? 0) + 1;
    const isHidden =
      above !== undefined && (above.isHidden || (parent !== undefined && this.#source.isClosed(`c:${parent}`)));
    if (tool !== undefined) this.#calls.set(tool.callId, { depth, isHidden });
    if (isHidden) return;
    if (tool === undefined || tool.action.kind === 'task') {
      this.#closeGroup();
      this.#push(entry, depth);
    } else {
      this.#addParallelCall(entry, tool, parent, depth);
    }
  }

  /** Parallel calls are held back until their number is known. */
  #addParallelCall(entry: PageEntry, tool: ToolUse, parent: string | undefined, depth: number): void {
    const start = Date.parse(tool.startedAt ?? '');
    const end = tool.endedAt === undefined ? Infinity : Date.parse(tool.endedAt);
    if (this.#group === undefined || this.#group.parent !== parent || !(start < this.#group.end)) {
      this.#closeGroup();
      this.#group = { indexes: [], parent, depth, end: Number.isNaN(start) ? -Infinity : end };
    } else {
      this.#group.end = Math.max(this.#group.end, end);
    }
    this.#group.indexes.push(entry.index);
  }

  #closeGroup(): void {
    const group = this.#group;
    this.#group = undefined;
    const first = group?.indexes[0];
    if (group === undefined || first === undefined) return;
    const several = group.indexes.length > 1;
    const key = `g:${first}`;
    const open = !this.#source.isClosed(key);
    if (several) this.#rows.push({ kind: 'group', key, turn: this.#turn, indexes: group.indexes, open });
    if (several && !open) return;
    for (const index of group.indexes) {
      const entry = this.#source.entry(index);
      if (entry !== undefined) this.#push(entry, group.depth + (several ? 1 : 0));
    }
  }

  #push(entry: PageEntry, depth: number): void {
    const { index } = entry;
    const parts = this.#source.parts(entry);
    for (let part = 0; part < parts; part++) {
      this.#rows.push({ kind: 'entry', key: entryKey(index, part), turn: this.#turn, index, part, depth });
    }
  }
}
