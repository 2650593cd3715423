import type { NormalizedEntry } from './entry.ts';

export const stepKinds = ['read', 'edit', 'command', 'search', 'web', 'other'] as const;
/** Categories of the chips above the trajectory. */
export type StepKind = (typeof stepKinds)[number];

/**
 * Numbers for the gutter: tool calls count through the session ("5"), those of a subagent below their parent's ("5.1"). Takes
 * entries in index order, and again when they change. A call with an unknown parent counts in the main conversation, so that
 * every call has a number.
 */
export class StepNumbers {
  readonly #byIndex = new Map<number, string>();
  readonly #stepByCall = new Map<string, { readonly step: string; children: number }>();
  #lastTopStep: number;

  /** `before`: tool calls of the main conversation before the first entry that will be added. */
  constructor(before = 0) {
    this.#lastTopStep = before;
  }

  /** The number of a tool call; `undefined` for every other entry. */
  add({ index, type }: NormalizedEntry): string | undefined {
    if (type.kind !== 'tool_use') return undefined;
    const known = this.#byIndex.get(index);
    if (known !== undefined) return known;
    const { callId, parentCallId } = type.tool;
    const parent = parentCallId === undefined ? undefined : this.#stepByCall.get(parentCallId);
    const step = parent === undefined ? String(++this.#lastTopStep) : `${parent.step}.${++parent.children}`;
    this.#byIndex.set(index, step);
    this.#stepByCall.set(callId, { step, children: 0 });
    return step;
  }

  numberOf(index: number): string | undefined {
    return this.#byIndex.get(index);
  }
}
