import { queryStates, type QueryState } from '../../model/transcript/query.ts';
import { stepKinds, type StepKind } from '../../model/transcript/steps.ts';
import { partsOf } from '../search/query.ts';
import { isFinalStatus, type Row } from './steps.ts';

/** Every part has to match; of the values of one part, any. Empty parts match everything. Texts in lower case. */
export interface RowFilter {
  readonly kinds: readonly StepKind[];
  readonly states: readonly QueryState[];
  readonly tools: readonly string[];
  readonly files: readonly string[];
  readonly texts: readonly string[];
}

export const allRows: RowFilter = { kinds: [], states: [], tools: [], files: [], texts: [] };

/**
 * Parses a filter: words, "quoted phrases", and `tool:`, `file:`, `kind:`, `state:` with a value; `error` alone is
 * `state:failed`. An operator with an unknown value is text.
 */
export function parseFilter(query: string): RowFilter {
  const filter = {
    kinds: [] as StepKind[],
    states: [] as QueryState[],
    tools: [] as string[],
    files: [] as string[],
    texts: [] as string[],
  };
  for (const { whole, operator, value, isQuoted } of partsOf(query)) {
    const kind = stepKinds.find((stepKind) => stepKind === value);
    const state = queryStates.find((queryState) => queryState === value);
    if (value === '') continue;
    if (operator === 'tool') filter.tools.push(value);
    else if (operator === 'file') filter.files.push(value);
    else if (operator === 'kind' && kind !== undefined) filter.kinds.push(kind);
    else if (operator === 'state' && state !== undefined) filter.states.push(state);
    else if (operator === '' && !isQuoted && value === 'error') filter.states.push('failed');
    else filter.texts.push(operator === '' ? value : whole.replaceAll('"', '').toLowerCase());
  }
  return filter;
}

/** `extraText`: further text of the row's entry to search, in any case. */
export function matchesFilter(row: Row, filter: RowFilter, extraText = ''): boolean {
  const { kinds, states, tools, files, texts } = filter;
  const step = row.type === 'step' ? row : undefined;
  if (kinds.length > 0 && (step === undefined || !kinds.includes(step.kind))) return false;
  if (states.length > 0 && !states.includes(stateOf(row))) return false;
  if (tools.length > 0 && !tools.some((tool) => step?.toolName.toLowerCase().includes(tool) === true)) return false;
  const isFile = step?.path !== null && step?.path !== undefined;
  if (
    files.length > 0 &&
    !(isFile && files.some((file) => step.title.toLowerCase().replaceAll('\\', '/').includes(file)))
  )
    return false;
  if (texts.length === 0) return true;
  const text = `${row.title}\n${step?.toolName ?? ''}\n${step?.number ?? ''}\n${extraText}`.toLowerCase();
  return texts.every((word) => text.includes(word));
}

export function stateOf(row: Row): QueryState {
  if (row.type === 'error') return 'failed';
  if (row.type !== 'step' || row.status === 'success') return 'done';
  return isFinalStatus(row.status) && row.status !== 'created' && row.status !== 'running' ? row.status : 'running';
}
