import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { requestMetadataSchema, type AgentRequest, type Decision } from '../../model/agent/request.ts';
import { isSynthetic } from '../../model/transcript/synthetic.ts';
import { isRealMessage } from '../recall/querySource.ts';
import { endsWithQuestion } from './question.ts';
import { isWholeList, TodoLedger, type TodoCount } from './todos.ts';

/** Unfinished work at the end of a conversation, as recorded. */
export interface UnfinishedWork {
  /** The agent's last message ends with a question that no one has answered. */
  readonly endsWithQuestion: boolean;
  /** Unfinished todos of the agent's list; `null` if it has none. */
  readonly todos: TodoCount | null;
  /** Undecided requests since the last message of a person. */
  readonly undecided: AgentRequest['kind'] | null;
  /** The agent's last message is the same as before the last automatic message. */
  readonly isRepeat: boolean;
}

/** Outcomes of requests that no one decided. */
const undecidedBy: ReadonlySet<Decision['by']> = new Set(['timeout', 'run_over', 'nobody']);

/** For a quick check whether anything could be due. */
export const everythingOpen: UnfinishedWork = {
  endsWithQuestion: true,
  todos: { open: 1, all: 1 },
  undecided: 'plan',
  isRepeat: false,
};

/** Whether an entry affects unfinished work. */
export function affectsUnfinishedWork({ type, metadata }: NormalizedEntry): boolean {
  if (metadata?.parentCallId !== undefined) return false;
  if (type.kind === 'tool_use') return type.tool.action.kind === 'todo' && type.tool.parentCallId === undefined;
  if (type.kind === 'system_message') return type.subtype === 'request';
  return type.kind === 'user_message' || type.kind === 'assistant_message';
}

/** Whether earlier entries can be ignored: a person has written since, and the todo list is complete. */
export function isCompleteTail(entries: readonly NormalizedEntry[]): boolean {
  return entries.some(isRealMessage) && entries.some(({ type }) => type.kind === 'tool_use' && isWholeList(type.tool));
}

/** `entries`: the last ones of the main conversation, in order. */
export function findUnfinishedWork(entries: Iterable<NormalizedEntry>): UnfinishedWork {
  let last = '';
  let before: string | null = null;
  let undecided: UnfinishedWork['undecided'] = null;
  const todos = new TodoLedger();
  for (const entry of entries) {
    if (!affectsUnfinishedWork(entry)) continue;
    const { type, metadata, content } = entry;
    if (type.kind === 'user_message') {
      const byPerson = isRealMessage(entry);
      if (byPerson) undecided = null;
      before = isSynthetic(entry) ? last : byPerson ? null : before;
      // Messages that a program adds, such as skills and hooks, do not answer a question.
      if (byPerson || isSynthetic(entry)) last = '';
    } else if (type.kind === 'assistant_message') {
      if (content.trim() !== '') last = content;
    } else if (type.kind === 'tool_use') {
      const { action, status } = type.tool;
      if (action.kind === 'todo' && status === 'success') todos.apply(action, metadata?.sessionId ?? undefined);
    } else {
      const asked = requestMetadataSchema.safeParse(metadata);
      if (!asked.success) continue;
      const { request, decision } = asked.data;
      if (decision === undefined || undecidedBy.has(decision.by)) undecided = request.kind;
      // Decisions by a rule, and requests that the agent withdrew, leave earlier ones open.
      else if (decision.by === 'user') undecided = null;
    }
  }
  return {
    endsWithQuestion: endsWithQuestion(last),
    todos: todos.count(),
    undecided,
    isRepeat: last !== '' && last === before,
  };
}
