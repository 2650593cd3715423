import { factsOf, textsOf } from '../../insight/search/facts.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { queryKinds, queryStates } from '../../model/transcript/query.ts';
import { isSynthetic, originOf } from '../../model/transcript/synthetic.ts';
import { WordList } from './wordList.ts';

/** Maximum number of indexed characters per entry. */
const maxCharacters = 64 * 1024;

/** Index data of one entry. */
export interface EntryRow {
  readonly index: number;
  /** Index in `queryKinds` of the most specific kind. */
  readonly kind: number;
  /** Index in `queryStates`. */
  readonly state: number | null;
  readonly tool: string | null;
  /** Files that the tool call operates on. */
  readonly paths: readonly string[];
  /** Whether the call changed these files. */
  readonly changed: boolean;
  /** Origin of a message to the agent. */
  readonly origin: string | null;
  readonly synthetic: boolean;
  /** Epoch milliseconds. */
  readonly at: number | null;
  readonly texts: readonly string[];
  /** Distinct words for the full-text index, in UTF-8. */
  readonly words: Uint8Array;
  /** Number of words, including repetitions. */
  readonly length: number;
  /** Only the beginning was indexed. */
  readonly cut: boolean;
}

export function entryRow(entry: NormalizedEntry): EntryRow {
  const { kinds, tool, paths, state } = factsOf(entry);
  const at = Date.parse(entry.timestamp);
  const list = new WordList();
  const texts: string[] = [];
  let left = maxCharacters;
  let cut = false;
  for (const text of textsOf(entry)) {
    if (text.length > left) cut = true;
    if (left === 0) break;
    const part = text.slice(0, left);
    texts.push(part);
    list.add(part);
    left -= part.length;
  }
  return {
    index: entry.index,
    kind: queryKinds.indexOf(kinds.at(-1) ?? 'other'),
    state: state === null ? null : queryStates.indexOf(state),
    tool,
    paths,
    changed: changesFiles(entry),
    origin: entry.type.kind === 'user_message' ? originOf(entry) : null,
    synthetic: isSynthetic(entry),
    at: Number.isNaN(at) ? null : at,
    texts,
    words: list.bytes(),
    length: list.length,
    cut,
  };
}

/** A denied or failed call has changed nothing; a cancelled one may have. */
function changesFiles({ type }: NormalizedEntry): boolean {
  if (type.kind !== 'tool_use') return false;
  const { action, status } = type.tool;
  const isWrite = action.kind === 'file_edit' || action.kind === 'file_write';
  return isWrite && (status === 'success' || status === 'cancelled');
}
