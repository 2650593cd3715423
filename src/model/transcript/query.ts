import { stepKinds } from './steps.ts';

/** What `kind:` takes: who speaks, or what a tool call does; `tool` is any call. */
export const queryKinds = ['user', 'assistant', 'thinking', 'system', 'error', 'tool', ...stepKinds] as const;
export type QueryKind = (typeof queryKinds)[number];

/** What `state:` takes. */
export const queryStates = ['done', 'failed', 'denied', 'cancelled', 'running'] as const;
export type QueryState = (typeof queryStates)[number];

export const queryOperators = ['tool', 'file', 'kind', 'state'] as const;

/** What of a query was not understood as its writer may have meant it. `part` as it was typed. */
export interface QueryProblem {
  /** `unknown_operator`: looked for as text. The others are left out. */
  readonly code: 'unknown_operator' | 'unknown_kind' | 'unknown_state' | 'no_value';
  readonly part: string;
}
