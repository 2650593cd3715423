import type { AgentOptions } from '../../agents/adapter.ts';
import { isBypass } from '../../agents/choices.ts';
import { isObject } from '../../model/json.ts';
import type { ExecutorType } from '../../model/session.ts';

/**
 * What a person chose for runs of one agent, over the settings. Absent: as the settings say. `''`, `default` and 0 leave
 * it to the agent.
 */
export interface RunChoice {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly maxAiCredits?: number;
}

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

/** `settings` with what was chosen in their place. */
export function withChoice(settings: AgentOptions, choice: RunChoice): AgentOptions {
  const pairs = Object.entries({ ...settings, ...choice });
  return Object.fromEntries(pairs.filter(([, each]) => each !== '' && each !== 0 && each !== 'default'));
}

/** What may be remembered of it: never that everything may happen unasked. */
export function rememberable(agent: ExecutorType, choice: RunChoice): RunChoice {
  const { permissionMode, ...rest } = choice;
  return permissionMode === undefined || isBypass(agent, permissionMode) ? rest : choice;
}
