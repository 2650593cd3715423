import { isBypass } from '../../agents/choices.ts';
import type { RunChoice } from '../../agents/withChoice.ts';
import { isObject } from '../../model/text/json.ts';
import type { ExecutorType } from '../../model/session/session.ts';

const numbers = ['maxTurns', 'maxBudgetUsd', 'maxAiCredits'] as const;
const longestName = 200;

/** A name that can be an argument: one line, nothing invisible. */
export function isName(found: unknown): found is string {
  return typeof found === 'string' && found.length <= longestName && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(found);
}

const isLimit = (found: unknown): found is number =>
  typeof found === 'number' && Number.isFinite(found) && found >= 0 && found <= 1e9;

/** What is a choice in `found`; `undefined` where something in it is none. Other keys are not looked at. */
export function choiceOf(found: unknown): RunChoice | undefined {
  if (!isObject(found)) return undefined;
  const texts = (['model', 'permissionMode'] as const).filter((name) => found[name] !== undefined);
  const limits = numbers.filter((name) => found[name] !== undefined);
  if (!texts.every((name) => isName(found[name])) || !limits.every((name) => isLimit(found[name]))) return undefined;
  return Object.fromEntries([...texts, ...limits].map((name) => [name, found[name]]));
}

/** What may be remembered of it: never that everything may happen unasked. */
export function rememberable(agent: ExecutorType, choice: RunChoice): RunChoice {
  const { permissionMode, ...rest } = choice;
  return permissionMode === undefined || isBypass(agent, permissionMode) ? rest : choice;
}
