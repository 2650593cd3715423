import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { JsonObject } from '../../../model/text/json.ts';
import type { Todo, ToolStatus } from '../../../model/transcript/tool.ts';
import { describeCall } from '../../shared/describe.ts';
import { field, nonEmpty, text } from '../../shared/guards.ts';
import type { NormalizedRun } from '../../shared/normalizer/normalizedRun.ts';
import type { CallContext } from './calls.ts';
import { planEntries } from '../wire.ts';

const maxPlans = 100;

interface Plan {
  readonly callId: string;
  readonly startedAt: string;
  entry: NormalizedEntry;
}

/** Plans: one entry each, updated within the turn that created it. A new turn begins a new one. */
export class Plans {
  readonly #run: NormalizedRun;
  readonly #plans = new Map<string, Plan>();
  #planCount = 0;

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  /** `plan` (version 1): always the whole list. */
  plan(update: JsonObject, context: CallContext): void {
    this.#updateTodos('', planEntries(update['entries']), context);
  }

  /** `plan_update` (version 2); `false` if the plan is of an unknown kind. */
  update(update: JsonObject, context: CallContext): boolean {
    const plan = update['plan'];
    const id = nonEmpty(field(plan, 'planId')) ?? '';
    switch (field(plan, 'type')) {
      case 'items':
        this.#updateTodos(id, planEntries(field(plan, 'entries')), context);
        return true;
      case 'markdown':
        this.#put(id, [], text(field(plan, 'content')) ?? '', 'success', context);
        return true;
      case 'file':
        this.#put(id, [], text(field(plan, 'uri')) ?? '', 'success', context);
        return true;
      default:
        return false;
    }
  }

  readRemoval(update: JsonObject, context: CallContext): void {
    const id = nonEmpty(update['planId']) ?? '';
    const type = this.#plans.get(id)?.entry.type;
    if (type?.kind !== 'tool_use' || type.tool.action.kind !== 'todo') return;
    const todos = type.tool.action.todos.map((todo): Todo =>
      todo.status === 'completed' ? todo : { ...todo, status: 'cancelled' },
    );
    this.#put(id, todos, undefined, 'success', context);
    this.#plans.delete(id);
  }

  endTurn(): void {
    this.#plans.clear();
  }

  #updateTodos(id: string, entries: ReturnType<typeof planEntries>, context: CallContext): void {
    if (entries.length === 0 && !this.#plans.has(id)) return;
    const todos = entries.map((entry): Todo => ({ text: entry.text, status: todoStatus(entry.status) }));
    this.#put(id, todos, undefined, 'success', context);
  }

  #put(id: string, todos: Todo[], message: string | undefined, status: ToolStatus, context: CallContext): void {
    const { timestamp, metadata, origin } = context;
    const { writer } = this.#run;
    const known = this.#plans.get(id);
    if (known === undefined) this.#planCount += 1;
    const callId = known?.callId ?? `plan-${this.#planCount}`;
    const startedAt = known?.startedAt ?? timestamp;
    const action = { kind: 'todo', todos } as const;
    const tool = { toolName: 'plan', callId, action, status, startedAt, endedAt: timestamp };
    const type = { kind: 'tool_use', tool } as const;
    const content = message ?? describeCall('plan', action, this.#run.context.workDir);
    if (known !== undefined) {
      known.entry = { ...known.entry, type, content };
      writer.put(known.entry);
      return;
    }
    if (this.#plans.size >= maxPlans) this.#plans.clear();
    const from = origin === undefined ? {} : { origin };
    const entry = writer.add({ type, content, timestamp, metadata, ...from });
    this.#plans.set(id, { callId, startedAt, entry });
  }
}

function todoStatus(value: unknown): Todo['status'] {
  if (value === 'in_progress' || value === 'completed' || value === 'cancelled') return value;
  return 'pending';
}
