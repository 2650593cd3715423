import { factsOf, textsOf } from '../../insight/search/facts.ts';
import { WordList } from '../../insight/search/tokens.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { queryKinds, queryStates } from '../../model/transcript/query.ts';
import { isSynthetic, originOf } from '../../model/transcript/synthetic.ts';

/** Characters of an entry that can be found. */
const mostCharacters = 64 * 1024;

/** What the catalogue keeps of an entry. */
export interface EntryRow {
  readonly index: number;
  /** Place in `queryKinds`: the narrowest kind. */
  readonly kind: number;
  /** Place in `queryStates`. */
  readonly state: number | null;
  readonly tool: string | null;
  /** Files that the call names as its subject. */
  readonly paths: readonly string[];
  /** The call wrote to them. */
  readonly changed: boolean;
  /** Of a message to the agent. */
  readonly origin: string | null;
  readonly synthetic: boolean;
  /** Epoch milliseconds. */
  readonly at: number | null;
  readonly texts: readonly string[];
  /** Each word once, separated by spaces. */
  readonly words: string;
  /** Words, repetitions included. */
  readonly length: number;
  /** Only the beginning can be found. */
  readonly cut: boolean;
}

export function entryRow(entry: NormalizedEntry): EntryRow {
  const { kinds, tool, paths, state } = factsOf(entry);
  const at = Date.parse(entry.timestamp);
  const list = new WordList();
  const texts: string[] = [];
  let left = mostCharacters;
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
    words: list.text(),
    length: list.length,
    cut,
  };
}

/** A call that was denied or failed has changed nothing; one that was cut off may have. */
function changesFiles({ type }: NormalizedEntry): boolean {
  if (type.kind !== 'tool_use') return false;
  const { action, status } = type.tool;
  const isWrite = action.kind === 'file_edit' || action.kind === 'file_write';
  return isWrite && (status === 'success' || status === 'cancelled');
}
