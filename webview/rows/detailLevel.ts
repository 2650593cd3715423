import type { DetailLevel } from '../../src/protocol/panel/detailLevel.ts';
import type { PageEntry } from '../../src/protocol/panel/messages.ts';
import { isAutomatic } from './origins.ts';
import { isNoise, type Row, type HiddenCounts } from './rows.ts';

type HiddenRow = Extract<Row, { kind: 'hidden' }>;

export interface DetailSource {
  readonly level: DetailLevel;
  /** Of the messages to the agent, those that people wrote. */
  readonly peopleOnly?: boolean;
  /** Hides what is marked as synthetic. */
  readonly hidesSynthetic?: boolean;
  entry(index: number): PageEntry | undefined;
  /** Whether the reader opened a row of hidden ones. */
  open(key: string): boolean;
  /** Entries that were jumped to: always shown. */
  isRevealed(index: number): boolean;
}

/** Rows at a level of detail. Each hidden range is one row with its count, so that nothing disappears silently. */
export function withDetail(rows: readonly Row[], source: DetailSource): Row[] {
  const { level, peopleOnly, hidesSynthetic } = source;
  if (level === 'everything' && peopleOnly !== true && hidesSynthetic !== true) return [...rows];
  const shown: Row[] = [];
  let stretch: Row[] = [];
  const close = (): void => {
    const row = hiddenRow(stretch, source);
    if (row !== undefined) shown.push(row, ...(row.open ? stretch : []));
    stretch = [];
  };
  for (const row of rows) {
    if (isRowHidden(row, source)) {
      stretch.push(row);
      continue;
    }
    close();
    shown.push(row);
  }
  close();
  return shown;
}

function isRowHidden(row: Row, source: DetailSource): boolean {
  if (row.kind === 'noise' || row.kind === 'group') return source.level !== 'everything';
  if (row.kind !== 'entry' || source.isRevealed(row.index)) return false;
  const entry = source.entry(row.index);
  if (entry === undefined) return false;
  return hidesWriter(entry, source) || hidesEntry(entry, source.level);
}

function hidesWriter(entry: PageEntry, { peopleOnly, hidesSynthetic }: DetailSource): boolean {
  return (peopleOnly === true && isAutomatic(entry)) || (hidesSynthetic === true && entry.synthetic === true);
}

/** Shown at every level: prompts, answers, errors, waiting requests, unreported changes. */
function hidesEntry(entry: PageEntry, level: DetailLevel): boolean {
  if (level === 'everything') return false;
  const { type, metadata, asked } = entry;
  switch (type.kind) {
    case 'user_message':
    case 'assistant_message':
      return metadata?.parentCallId !== undefined;
    case 'thinking':
      return true;
    case 'error':
      return false;
    case 'tool_use':
      return level === 'answers' || (type.tool.status === 'success' && !hasFailed(entry));
    case 'system_message':
      if (asked !== undefined) return asked.decision !== undefined;
      return isNoise(entry) || (level === 'answers' && type.subtype !== 'unreported_changes');
  }
}

function hasFailed({ type }: PageEntry): boolean {
  if (type.kind !== 'tool_use') return false;
  const { status, action } = type.tool;
  const exit = action.kind === 'command_run' ? action.exitCode : undefined;
  return status === 'failed' || status === 'denied' || (typeof exit === 'number' && exit !== 0);
}

/** `undefined` if the range has nothing to count. */
function hiddenRow(stretch: readonly Row[], source: DetailSource): HiddenRow | undefined {
  const [first] = stretch;
  if (first === undefined) return undefined;
  const counts = countsOf(stretch, source);
  const key = `h:${first.key}`;
  return { kind: 'hidden', key, turn: first.turn, counts, open: source.open(key) };
}

function countsOf(stretch: readonly Row[], source: DetailSource): HiddenCounts {
  const counts = { steps: 0, failed: 0, thoughts: 0, messages: 0, automatic: 0, system: 0 };
  const seen = new Set<number>();
  const count = (index: number): void => {
    const entry = source.entry(index);
    if (entry === undefined || seen.has(index)) return;
    seen.add(index);
    switch (entry.type.kind) {
      case 'tool_use':
        counts.steps += 1;
        if (hasFailed(entry)) counts.failed += 1;
        break;
      case 'thinking':
        counts.thoughts += 1;
        break;
      case 'user_message':
      case 'assistant_message':
        if (hidesWriter(entry, source)) counts.automatic += 1;
        else counts.messages += 1;
        break;
      default:
        // System lines that are folded into one row are counted with it.
        if (!isNoise(entry)) counts.system += 1;
    }
  };
  for (const row of stretch) {
    if (row.kind === 'entry') count(row.index);
    else if (row.kind === 'group') row.indexes.forEach(count);
    else if (row.kind === 'noise') counts.system += row.count;
  }
  return counts;
}
