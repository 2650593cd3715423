import type { NormalizedEntry } from '../../model/entry.ts';
import { requestMetadataSchema, type AgentRequest, type Decision } from '../../model/request.ts';
import { isSynthetic } from '../../model/synthetic.ts';

/** What stands open at the end of a conversation, as recorded. */
export interface OpenEnds {
  /** The last message of the agent ends with a question, and nobody said anything since. */
  readonly question: boolean;
  /** Of the last list that the agent made; `null` where it made none. */
  readonly todos: { readonly open: number; readonly all: number } | null;
  /** What was asked and not decided by anybody since a person last said something. */
  readonly undecided: AgentRequest['kind'] | null;
}

/** How a request ended that nobody decided. */
const byNobody: ReadonlySet<Decision['by']> = new Set(['timeout', 'run_over', 'nobody']);

/** `entries` in order, and of the main conversation those that are looked at: its end. */
export function openEnds(entries: readonly NormalizedEntry[]): OpenEnds {
  let question = false;
  let todos: OpenEnds['todos'] = null;
  let undecided: OpenEnds['undecided'] = null;
  for (const entry of entries) {
    const { type, metadata, content } = entry;
    if (metadata?.parentCallId !== undefined) continue;
    if (type.kind === 'user_message') {
      question = false;
      if (!isSynthetic(entry)) undecided = null;
    } else if (type.kind === 'assistant_message') {
      if (content.trim() !== '') question = endsWithQuestion(content);
    } else if (type.kind === 'tool_use' && type.tool.parentCallId === undefined) {
      const { action } = type.tool;
      if (action.kind === 'todo') {
        const open = action.todos.filter(({ status }) => status === 'pending' || status === 'in_progress').length;
        todos = { open, all: action.todos.length };
      }
    } else if (type.kind === 'system_message' && type.subtype === 'request') {
      const asked = requestMetadataSchema.safeParse(metadata);
      if (!asked.success) continue;
      const { request, decision } = asked.data;
      undecided = decision === undefined || byNobody.has(decision.by) ? request.kind : null;
    }
  }
  return { question, todos, undecided };
}

/** Lines of a list, which may stand behind a question as the answers to choose from. */
const item = /^\s*(?:[-*+•]|\(?(?:\d{1,2}|[a-z])[.)])\s+/i;
/** What may follow the mark of a question: quotes, brackets and marks of emphasis. */
const trailing = /[\s*_~`"'’”»)\]]+$/u;

/** Whether a text ends with a question, answers to choose from behind it left aside. */
export function endsWithQuestion(text: string): boolean {
  const lines = text
    .slice(-4000)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const last = lines.findLast((line, at) => at === 0 || !item.test(line)) ?? '';
  return /[?？؟]$/u.test(last.replace(trailing, '')) || /[?？؟]$/u.test((lines.at(-1) ?? '').replace(trailing, ''));
}
