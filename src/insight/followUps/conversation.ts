import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { requestMetadataSchema, type AgentRequest, type Decision } from '../../model/agent/request.ts';
import { isSynthetic } from '../../model/transcript/synthetic.ts';
import { isRealMessage } from '../recall/querySource.ts';
import { endsWithQuestion } from './question.ts';
import { isWholeList, TodoLedger, type TodoCount } from './todos.ts';

/** Unfinished work at the end of a conversation, as recorded. */
export interface UnfinishedWork {
  /** The last message of the agent ends with a question, and no one said anything since. */
  readonly question: boolean;
  /** Of the list that the agent made; `null` where it made none. */
  readonly todos: TodoCount | null;
  /** What was asked and not decided by anybody since a person last said something. */
  readonly undecided: AgentRequest['kind'] | null;
  /** The agent's last message is the one that it had said before it was last written to by a trigger. */
  readonly repeats: boolean;
}

/** How a request ended that no one decided. */
const byNobody: ReadonlySet<Decision['by']> = new Set(['timeout', 'run_over', 'nobody']);

/** For whoever asks whether anything could be due at all. */
export const everythingOpen: UnfinishedWork = {
  question: true,
  todos: { open: 1, all: 1 },
  undecided: 'plan',
  repeats: false,
};

/** Whether an entry affects unfinished work. */
export function affectsUnfinishedWork({ type, metadata }: NormalizedEntry): boolean {
  if (metadata?.parentCallId !== undefined) return false;
  if (type.kind === 'tool_use') return type.tool.action.kind === 'todo' && type.tool.parentCallId === undefined;
  if (type.kind === 'system_message') return type.subtype === 'request';
  return type.kind === 'user_message' || type.kind === 'assistant_message';
}

/** Whether nothing before these entries says more: a person spoke since, and a whole list of todos was made. */
export function isCompleteTail(entries: readonly NormalizedEntry[]): boolean {
  return entries.some(isRealMessage) && entries.some(({ type }) => type.kind === 'tool_use' && isWholeList(type.tool));
}

/** `entries` in order, of the main conversation: the last ones. */
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
      // What a program puts in, a skill or a hook, answers nothing.
      if (byPerson || isSynthetic(entry)) last = '';
    } else if (type.kind === 'assistant_message') {
      if (content.trim() !== '') last = content;
    } else if (type.kind === 'tool_use') {
      const { action, status } = type.tool;
      if (action.kind === 'todo' && status === 'success') todos.take(action, metadata?.sessionId ?? undefined);
    } else {
      const asked = requestMetadataSchema.safeParse(metadata);
      if (!asked.success) continue;
      const { request, decision } = asked.data;
      if (decision === undefined || byNobody.has(decision.by)) undecided = request.kind;
      // What a rule decides, or the agent takes back, leaves open what stood open before.
      else if (decision.by === 'user') undecided = null;
    }
  }
  return { question: endsWithQuestion(last), todos: todos.count(), undecided, repeats: last !== '' && last === before };
}
