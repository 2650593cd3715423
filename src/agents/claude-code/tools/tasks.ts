import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { Todo, ToolAction } from '../../../model/transcript/tool.ts';
import { todoStatus } from './toolActions.ts';
import { count, field, nonEmpty, objects } from '../../shared/guards.ts';

const maxTasks = 1000;

/**
 * The agent's task list (`TaskCreate`, `TaskUpdate`, `TaskList`); each call prints only its own part. A resumed run knows
 * only the tasks that it has seen.
 */
export class TaskList {
  readonly #tasks = new Map<string, Todo>();

  /** The action of a call when it starts: only its own task. */
  startedAction(toolName: string, action: ToolAction, input: unknown): ToolAction {
    if (action.kind !== 'todo' || toolName !== 'TaskUpdate' || !isObject(input)) return action;
    const todo = this.#updateTask(input);
    return todo === undefined ? action : { ...action, todos: [todo] };
  }

  /** The action of a successful call: the whole list, as far as known. */
  completedAction(toolName: string, action: ToolAction, input: unknown, detail: unknown): ToolAction {
    if (action.kind !== 'todo' || !toolName.startsWith('Task')) return action;
    const listed = field(detail, 'tasks');
    const isWhole = toolName === 'TaskList' && Array.isArray(listed);
    if (isWhole) this.#tasks.clear();
    for (const task of [field(detail, 'task'), ...objects(listed)]) this.#addTask(task);
    if (toolName === 'TaskUpdate' && isObject(input) && field(detail, 'success') !== false) {
      const id = identifier(input['taskId']);
      const todo = this.#updateTask(input);
      if (id !== undefined && todo !== undefined) this.#set(id, todo);
    }
    return {
      ...action,
      ...(this.#tasks.size > 0 && { todos: [...this.#tasks.values()] }),
      // Tasks that are no longer listed were removed.
      ...(isWhole && { others: 'cancelled' }),
    };
  }

  #updateTask(input: JsonObject): Todo | undefined {
    const id = identifier(input['taskId']);
    if (id === undefined) return undefined;
    const before = this.#tasks.get(id);
    const status = input['status'] === undefined ? before?.status : todoStatus(input['status']);
    // If only the text of an earlier run's task changed, its status is unknown.
    if (status === undefined) return undefined;
    return { id, text: nonEmpty(input['subject']) ?? before?.text ?? `Task #${id}`, status };
  }

  #addTask(task: unknown): void {
    const id = identifier(field(task, 'id'));
    const subject = nonEmpty(field(task, 'subject'));
    if (id === undefined || subject === undefined) return;
    const status = field(task, 'status');
    this.#set(id, {
      id,
      text: subject,
      status: status === undefined ? (this.#tasks.get(id)?.status ?? 'pending') : todoStatus(status),
    });
  }

  #set(id: string, todo: Todo): void {
    if (this.#tasks.has(id) || this.#tasks.size < maxTasks) this.#tasks.set(id, todo);
  }
}

function identifier(value: unknown): string | undefined {
  return nonEmpty(value) ?? count(value)?.toString();
}
