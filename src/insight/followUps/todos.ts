import type { Todo, ToolAction, ToolUse } from '../../model/transcript/tool.ts';

type Status = Todo['status'];
type TodoAction = Extract<ToolAction, { readonly kind: 'todo' }>;

export interface TodoCount {
  readonly open: number;
  readonly all: number;
}

/** Whether a call replaces the whole list of todos. */
export function isWholeList({ action, status }: Pick<ToolUse, 'action' | 'status'>): boolean {
  if (action.kind !== 'todo' || status !== 'success') return false;
  return action.others !== undefined ? action.others === 'cancelled' : action.todos.some(({ id }) => id === undefined);
}

/**
 * Todos of a session over all its runs. If the agent gives them ids, a run may name only some of them. Without ids, each call
 * has the whole list.
 */
export class TodoLedger {
  /** By the agent's id, or by position in a list without ids; `null` if there is no list. */
  #statuses: Map<string, Status> | null = null;
  #isNamedList = false;
  #conversation: string | undefined;

  /** A successful call. A list belongs to one conversation of the agent, if that is known. */
  apply({ todos, others }: TodoAction, conversation: string | undefined): void {
    const named = others !== undefined || todos.some(({ id }) => id !== undefined);
    // Does not change a list with ids.
    if (!named && todos.length === 0 && this.#isNamedList) return;
    const isAnother =
      conversation !== undefined && this.#conversation !== undefined && conversation !== this.#conversation;
    const before = named && this.#isNamedList && !isAnother ? this.#statuses : null;
    const statuses = new Map(before);
    if (others !== undefined) for (const id of statuses.keys()) statuses.set(id, others);
    for (const [place, { id, status }] of todos.entries()) statuses.set(id ?? `#${place}`, status);
    this.#statuses = statuses;
    this.#isNamedList = named;
    this.#conversation = conversation ?? this.#conversation;
  }

  /** `null` if there is no list. */
  count(): TodoCount | null {
    if (this.#statuses === null) return null;
    const open = [...this.#statuses.values()].filter(
      (status) => status === 'pending' || status === 'in_progress',
    ).length;
    return { open, all: this.#statuses.size };
  }
}
