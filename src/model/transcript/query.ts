import { stepKinds } from './steps.ts';

/** Values of `kind:`: who speaks, or what a tool call does; `tool` is any call. */
export const queryKinds = ['user', 'assistant', 'thinking', 'system', 'error', 'tool', ...stepKinds] as const;
export type QueryKind = (typeof queryKinds)[number];

/** Values of `state:`. */
export const queryStates = ['done', 'failed', 'denied', 'cancelled', 'running'] as const;
export type QueryState = (typeof queryStates)[number];

export const queryOperators = ['tool', 'file', 'kind', 'state'] as const;

/** A part of a query, as typed, that may not do what its writer meant. */
export interface QueryProblem {
  /** `unknown_operator` is searched as text; the others are ignored. */
  readonly code: 'unknown_operator' | 'unknown_kind' | 'unknown_state' | 'no_value';
  readonly part: string;
}
