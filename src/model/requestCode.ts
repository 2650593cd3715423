import { findDisguise, type Disguise } from './text/disguise.ts';
import type { AgentRequest } from './agent/request.ts';

/** Texts of a request that run or name something, and must not look like anything else. */
export function codeOf({ action, toolName = '', input, cwd = '' }: AgentRequest): string[] {
  const rest = [toolName, cwd];
  switch (action?.kind) {
    case 'command_run':
      return [action.command, ...rest];
    case 'file_edit':
      return [...action.changes.map(({ path }) => path), ...rest];
    case 'file_write':
    case 'file_read':
      return [action.path, ...rest];
    case 'search':
      return [action.path ?? '', ...rest];
    case 'web_fetch':
      return [action.url, ...rest];
    case 'mcp':
      return [action.server, action.tool, ...strings(input), ...rest];
    case 'tool':
    case undefined:
      return [...strings(input), ...rest];
    default:
      return rest;
  }
}

/** Texts in the argument of a tool that Vitrine does not know. */
function strings(input: unknown, depth = 0): string[] {
  if (typeof input === 'string') return [input];
  if (typeof input !== 'object' || input === null || depth > 20) return [];
  return Object.entries(input).flatMap(([key, value]) => [key, ...strings(value, depth + 1)]);
}

/** Everything that is deceptive in these texts, each once. */
export function findDisguises(texts: readonly string[]): Omit<Disguise, 'spots'> {
  const found = texts.map(findDisguise).filter((disguise): disguise is Disguise => disguise !== undefined);
  const collect = (of: (disguise: Disguise) => readonly string[]): string[] => [...new Set(found.flatMap(of))];
  return {
    hiddenCharacters: collect(({ hiddenCharacters }) => hiddenCharacters),
    scripts: collect(({ scripts }) => scripts),
    lookAlikes: collect(({ lookAlikes }) => lookAlikes),
  };
}
