import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { type StepKind, StepNumbers } from '../../model/transcript/steps.ts';
import type { ToolAction, ToolStatus, ToolUse } from '../../model/transcript/tool.ts';

/** The main conversation. A subagent's lane has the id of the call that started it. */
export const mainLane = '';

interface RowBase {
  readonly entryIndex: number;
  /** Number of the turn, from 1. */
  readonly turn: number;
  readonly lane: string;
  /** 0 in the main conversation, 1 in a subagent's, … */
  readonly level: number;
  /** Epoch milliseconds; `null` if the record has no time. */
  readonly startedAt: number | null;
  /** `null` while it runs, and if its end was not recorded. */
  readonly endedAt: number | null;
}

/** A tool call. */
export interface StepRow extends RowBase {
  readonly type: 'step';
  /** Step number, as in the gutter of the transcript: `5`, `5.1`. */
  readonly number: string;
  readonly callId: string;
  readonly parentCallId: string | null;
  readonly kind: StepKind;
  readonly toolName: string;
  /** Its subject: a path, a command, a query, a URL; at most 400 characters. */
  readonly title: string;
  readonly path: string | null;
  readonly status: ToolStatus;
  readonly durationMs: number | null;
  readonly exitCode: number | null;
  readonly added: number | null;
  readonly removed: number | null;
  /** The entry with the agent's reason: its last message before the step in the same lane and turn. */
  readonly messageIndex: number | null;
}

/** A message, thought or error between steps; it lasted from the row before to its own time. */
export interface MomentRow extends RowBase {
  readonly type: 'thought' | 'answer' | 'error';
  /** When its first part arrived, epoch milliseconds; for a text without parts, when it arrived. */
  readonly firstAt: number | null;
  /** At most 400 characters. */
  readonly title: string;
}

export type Row = StepRow | MomentRow;

export interface Lane {
  readonly id: string;
  readonly title: string;
  readonly agentType: string | null;
  readonly level: number;
  /** The step that started it; `null` for the main conversation. */
  readonly number: string | null;
}

type TaskAction = Extract<ToolAction, { kind: 'task' }>;

const longestTitle = 400;

interface LaneState extends Lane {
  lastEnd: number | null;
  message: { readonly index: number; readonly turn: number } | null;
}

/**
 * What a session did, step by step. Add entries in index order, and again when they change; each costs the same,
 * however long the session is.
 */
export class Trajectory {
  readonly #numbers: StepNumbers;
  readonly #rows = new Map<number, Row>();
  readonly #lanes = new Map<string, LaneState>();

  /** `stepsBefore`: tool calls of the main conversation before the first entry that will be added. */
  constructor(stepsBefore = 0) {
    this.#numbers = new StepNumbers(stepsBefore);
    this.#lanes.set(mainLane, {
      id: mainLane,
      title: '',
      agentType: null,
      level: 0,
      number: null,
      lastEnd: null,
      message: null,
    });
  }

  /** `turn`: the entry's turn in the session, see `findTurn`. */
  add(entry: NormalizedEntry, turn: number): void {
    const { type, index } = entry;
    if (type.kind === 'tool_use') this.#step(entry, type.tool, turn);
    else if (type.kind === 'thinking' || type.kind === 'assistant_message' || type.kind === 'error') {
      const lane = this.#findOrAddLane(entry.metadata?.parentCallId);
      const known = this.#rows.get(index);
      const at = timeOf(entry.timestamp);
      this.#rows.set(index, {
        type: type.kind === 'thinking' ? 'thought' : type.kind === 'error' ? 'error' : 'answer',
        entryIndex: index,
        turn,
        lane: lane.id,
        level: lane.level,
        startedAt: known?.startedAt ?? earlierTime(lane.lastEnd, at),
        endedAt: at,
        firstAt: timeOf(entry.metadata?.startedAt) ?? (known?.type === 'step' ? null : known?.firstAt) ?? at,
        title: oneLine(entry.content),
      });
      if (type.kind !== 'error') lane.message = { index, turn };
      lane.lastEnd = laterTime(lane.lastEnd, at);
    } else if (type.kind === 'user_message') {
      // A turn begins: the time since the last one was idle.
      const lane = this.#findOrAddLane(entry.metadata?.parentCallId);
      lane.lastEnd = timeOf(entry.timestamp);
      lane.message = null;
    }
  }

  /** Rows in index order. */
  rows(): Row[] {
    return [...this.#rows.values()].sort((a, b) => a.entryIndex - b.entryIndex);
  }

  steps(): StepRow[] {
    return this.rows().filter((row) => row.type === 'step');
  }

  row(entryIndex: number): Row | undefined {
    return this.#rows.get(entryIndex);
  }

  /** The main conversation first, then subagents in the order of their start. */
  lanes(): Lane[] {
    return [...this.#lanes.values()].map(({ id, title, agentType, level, number }) => ({
      id,
      title,
      agentType,
      level,
      number,
    }));
  }

  #step(entry: NormalizedEntry, tool: ToolUse, turn: number): void {
    const number = this.#numbers.add(entry) ?? '';
    const lane = this.#findOrAddLane(tool.parentCallId);
    const known = this.#rows.get(entry.index);
    const startedAt = timeOf(tool.startedAt ?? entry.timestamp);
    const endedAt = isFinalStatus(tool.status) ? timeOf(tool.endedAt) : null;
    const message = lane.message?.turn === turn ? lane.message.index : null;
    this.#rows.set(entry.index, {
      type: 'step',
      entryIndex: entry.index,
      number,
      turn,
      lane: lane.id,
      level: lane.level,
      callId: tool.callId,
      parentCallId: tool.parentCallId ?? null,
      toolName: tool.toolName,
      kind: kindOf(tool.action),
      ...subjectOf(tool),
      status: tool.status,
      startedAt,
      endedAt,
      durationMs: startedAt === null || endedAt === null ? null : Math.max(0, endedAt - startedAt),
      exitCode: tool.action.kind === 'command_run' ? (tool.action.exitCode ?? null) : null,
      ...linesOf(tool.action),
      messageIndex: known?.type === 'step' ? known.messageIndex : message,
    });
    lane.lastEnd = laterTime(lane.lastEnd, endedAt ?? startedAt);
    const { action, callId } = tool;
    if (action.kind === 'task' && callId !== mainLane && callId !== lane.id)
      this.#start(callId, action, { number, level: lane.level + 1 });
  }

  /** The call may come after what it started, and may change: its newest form counts. */
  #start(callId: string, { description, agentType }: TaskAction, place: Pick<Lane, 'number' | 'level'>): void {
    const title = oneLine(description);
    Object.assign(this.#findOrAddLane(callId), { ...place, title, agentType: agentType ?? null });
  }

  /** A call with an unknown parent gets its own lane. */
  #findOrAddLane(parentCallId: string | undefined): LaneState {
    const id = parentCallId ?? mainLane;
    let lane = this.#lanes.get(id);
    if (lane === undefined) {
      lane = { id, title: '', agentType: null, level: 1, number: null, lastEnd: null, message: null };
      this.#lanes.set(id, lane);
    }
    return lane;
  }
}

/** The turn of an entry, from 1; `firstIndexes` ascend. */
export function findTurn(firstIndexes: readonly number[], entryIndex: number): number {
  let low = 0;
  let high = firstIndexes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((firstIndexes[middle] ?? Infinity) <= entryIndex) low = middle + 1;
    else high = middle;
  }
  return Math.max(1, low);
}

/** Longest first; those that are running or have an unknown duration last. */
export function longestFirst(steps: readonly StepRow[]): StepRow[] {
  return [...steps].sort((a, b) => (b.durationMs ?? -1) - (a.durationMs ?? -1) || a.entryIndex - b.entryIndex);
}

export function isFinalStatus(status: ToolStatus): boolean {
  return status !== 'created' && status !== 'running';
}

export function kindOf(action: ToolAction): StepKind {
  switch (action.kind) {
    case 'file_read':
      return 'read';
    case 'file_write':
    case 'file_edit':
      return 'edit';
    case 'command_run':
      return 'command';
    case 'search':
      return 'search';
    case 'web_fetch':
    case 'web_search':
      return 'web';
    default:
      return 'other';
  }
}

function subjectOf({ action, toolName }: ToolUse): { title: string; path: string | null } {
  const about = (title: string, path: string | null = null) => ({ title: oneLine(title), path });
  switch (action.kind) {
    case 'file_read':
    case 'file_write':
      return about(action.path, action.path);
    case 'file_edit': {
      const paths = [...new Set(action.changes.map(({ path }) => path))];
      return about(paths.join(', '), paths[0] ?? null);
    }
    case 'command_run':
      return about(action.command);
    case 'search':
    case 'web_search':
      return about(action.query);
    case 'web_fetch':
      return about(action.url);
    case 'task':
      return about(action.description);
    case 'mcp':
      return about(`${action.server}: ${action.tool}`);
    default:
      return about(toolName);
  }
}

function linesOf(action: ToolAction): { added: number | null; removed: number | null } {
  if (action.kind === 'file_write')
    return { added: action.content === undefined ? null : lineCount(action.content), removed: null };
  if (action.kind !== 'file_edit') return { added: null, removed: null };
  const sum = (key: 'added' | 'removed') =>
    action.changes.reduce<number | null>(
      (all, change) => (change[key] === undefined ? all : (all ?? 0) + change[key]),
      null,
    );
  return { added: sum('added'), removed: sum('removed') };
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function oneLine(text: string): string {
  return text
    .slice(0, longestTitle * 2)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, longestTitle);
}

function timeOf(time: string | undefined): number | null {
  const at = time === undefined ? NaN : Date.parse(time);
  return Number.isNaN(at) ? null : at;
}

function laterTime(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

function earlierTime(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
