import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { QueryKind, QueryState } from '../../model/transcript/query.ts';
import type { ToolAction } from '../../model/transcript/tool.ts';
import { isFinalStatus, kindOf } from '../trajectory/steps.ts';
import type { Query } from './query.ts';

/** Properties of an entry that a query can use. */
export interface EntryFacts {
  readonly kinds: readonly QueryKind[];
  /** The agent's name of the tool. */
  readonly tool: string | null;
  /** Files that the call names as its subject; with `/`. */
  readonly paths: readonly string[];
  readonly state: QueryState | null;
}

export function factsOf({ type }: NormalizedEntry): EntryFacts {
  switch (type.kind) {
    case 'user_message':
      return plainFacts('user');
    case 'assistant_message':
      return plainFacts('assistant');
    case 'system_message':
      return plainFacts('system');
    case 'thinking':
      return plainFacts('thinking');
    case 'error':
      return { ...plainFacts('error'), state: 'failed' };
    case 'tool_use': {
      const { action, toolName, status } = type.tool;
      const badExit = action.kind === 'command_run' && (action.exitCode ?? 0) !== 0;
      const state = !isFinalStatus(status)
        ? 'running'
        : status === 'success'
          ? badExit
            ? 'failed'
            : 'done'
          : statusOf(status);
      return { kinds: ['tool', kindOf(action)], tool: toolName, paths: pathsOf(action), state };
    }
  }
}

function plainFacts(kind: QueryKind): EntryFacts {
  return { kinds: [kind], tool: null, paths: [], state: null };
}

function statusOf(status: 'created' | 'running' | 'failed' | 'denied' | 'cancelled'): QueryState {
  return status === 'created' ? 'running' : status;
}

function pathsOf(action: ToolAction): string[] {
  const paths =
    action.kind === 'file_edit'
      ? action.changes.map(({ path }) => path)
      : 'path' in action && action.path !== undefined
        ? [action.path]
        : [];
  return [...new Set(paths)].map((path) => path.replaceAll('\\', '/'));
}

/** Every text that an entry shows, each once, in reading order. */
export function textsOf({ type, content }: NormalizedEntry): string[] {
  const texts = new Set<string>();
  const take = (value: unknown): void => {
    if (typeof value === 'string') {
      if (value !== '') texts.add(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const field of Object.values(value)) take(field);
    }
  };
  take(content);
  if (type.kind === 'thinking') take(type.reasoning);
  if (type.kind === 'error') take(type.error);
  if (type.kind === 'tool_use')
    for (const key of ['toolName', 'action', 'input', 'result'] as const) take(type.tool[key]);
  return [...texts];
}

/** Whether an entry matches the operators. */
export function matchesOperators(entry: NormalizedEntry, query: Query): boolean {
  return matchesFacts(factsOf(entry), query) && (query.texts.length === 0 || containsTexts(textsOf(entry), query));
}

/** Whether the texts of an entry contain the words. */
export function containsTexts(all: readonly string[], { texts }: Pick<Query, 'texts'>): boolean {
  const small = all.map((text) => text.toLowerCase());
  return texts.every((word) => small.some((text) => text.includes(word)));
}

function matchesFacts({ kinds, tool, paths, state }: EntryFacts, query: Query): boolean {
  const any = <T>(values: readonly T[], fits: (value: T) => boolean): boolean =>
    values.length === 0 || values.some(fits);
  return (
    any(query.kinds, (kind) => kinds.includes(kind)) &&
    any(query.states, (value) => value === state) &&
    any(query.tools, (name) => tool?.toLowerCase().includes(name) === true) &&
    any(query.files, (part) => paths.some((path) => path.toLowerCase().includes(part)))
  );
}
