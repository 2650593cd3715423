import type { AgentRequest } from '../../src/model/request.ts';
import { isObject } from '../text/objects.ts';

/**
 * What of a call's input is not shown by its action and description already: a tool may be told more than the command
 * itself (in the background, without a sandbox). `undefined` where nothing is left.
 */
export function restOfInput({ action, input, description, cwd }: AgentRequest): unknown {
  if (action === undefined || action.kind === 'tool' || action.kind === 'mcp') return input;
  // Each text that is shown stands for one text of the input.
  const shown = [...textsOf(action), ...[description, cwd].filter((text) => text !== undefined)];
  return without(input, shown);
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isObject(value) ? Object.values(value).flatMap(textsOf) : [];
}

function without(value: unknown, shown: string[]): unknown {
  if (typeof value === 'string') {
    const at = shown.indexOf(value);
    if (at === -1) return value;
    shown.splice(at, 1);
    return undefined;
  }
  if (Array.isArray(value)) {
    const left = value.map((each) => without(each, shown)).filter((each) => each !== undefined);
    return left.length === 0 ? undefined : left;
  }
  if (!isObject(value)) return value;
  const left = Object.entries(value)
    .map(([key, each]) => [key, without(each, shown)] as const)
    .filter(([, each]) => each !== undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}
