import { isBypass } from '../../agents/choices.ts';
import type { RunChoice } from '../../agents/withChoice.ts';
import { isObject } from '../../model/text/json.ts';
import type { ExecutorType } from '../../model/session/session.ts';

const numbers = ['maxTurns', 'maxBudgetUsd', 'maxAiCredits'] as const;
const longestName = 200;

/** A valid name for an argument: one line, no invisible characters. */
export function isAgentName(found: unknown): found is string {
  return typeof found === 'string' && found.length <= longestName && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(found);
}

const isLimit = (found: unknown): found is number =>
  typeof found === 'number' && Number.isFinite(found) && found >= 0 && found <= 1e9;

/** Parses a choice; `undefined` if a value is invalid. Ignores other keys. */
export function choiceOf(found: unknown): RunChoice | undefined {
  if (!isObject(found)) return undefined;
  const texts = (['model', 'permissionMode'] as const).filter((name) => found[name] !== undefined);
  const limits = numbers.filter((name) => found[name] !== undefined);
  if (!texts.every((name) => isAgentName(found[name])) || !limits.every((name) => isLimit(found[name])))
    return undefined;
  return Object.fromEntries([...texts, ...limits].map((name) => [name, found[name]]));
}

/** The choice without modes that bypass permissions, which are never remembered. */
export function rememberable(agent: ExecutorType, choice: RunChoice): RunChoice {
  const { permissionMode, ...rest } = choice;
  return permissionMode === undefined || isBypass(agent, permissionMode) ? rest : choice;
}
