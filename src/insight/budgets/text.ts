import type { Bound, BudgetStatus } from '../../model/usage/budget.ts';
import type { BudgetScope, BudgetUnit } from '../../model/usage/budgetNames.ts';
import { englishNumbers } from '../../text/numberFormat.ts';

const scopes: Readonly<Record<BudgetScope, string>> = {
  message: 'this message',
  run: 'this run',
  session: 'this session',
  tree: 'this session and its child sessions',
  day: 'today',
  agent: 'this agent today',
  workspace: 'this workspace',
};

const units: Readonly<Record<BudgetUnit, string>> = { usd: '', tokens: 'tokens', turns: 'turns', minutes: 'minutes' };

const reportedLate = 'Agents report usage only after a response starts, so the last response can exceed the limit.';
const reasons: Readonly<Record<BudgetUnit, string>> = {
  usd: reportedLate,
  tokens: reportedLate,
  turns: 'The agent had already started another response.',
  minutes: 'The agent did not stop immediately.',
};

/** `3 of 3 turns`, `$1.02 of $1.00`. */
export function figuresText({ unit, spent, limit }: BudgetStatus): string {
  if (unit === 'usd') return `${englishNumbers.money(spent)} of ${englishNumbers.money(limit)}`;
  return `${englishNumbers.count(spent)} of ${englishNumbers.count(limit)} ${units[unit]}`;
}

/** For the record, which is in English. */
export function reachedText(status: BudgetStatus): string {
  const what = isOfRace(status) ? 'this race' : scopes[status.scope];
  return `The budget for ${what} is used up: ${figuresText(status)}.${exceededText(status)}`;
}

/** A race is the root of the tree of its sessions. */
function isOfRace({ scope, key }: Bound): boolean {
  return scope === 'tree' && key.startsWith('race_');
}

/** By how much a limit was exceeded, and why that is possible; empty if the displayed figures do not show it. */
function exceededText({ unit, spent, limit }: BudgetStatus): string {
  const amount = (value: number): string =>
    unit === 'usd' ? englishNumbers.money(value) : `${englishNumbers.count(value)} ${units[unit]}`;
  if (spent <= limit || amount(spent) === amount(limit)) return '';
  const excessText = amount(spent - limit).replace(/^1 (\w+)s$/, '1 $1');
  return ` ${excessText} over the limit. ${reasons[unit]}`;
}

/** Shown before a run, or once its model is known. `partly`: other models of the run have prices. */
export function unenforceableText(model: string, bounds: readonly Bound[], partly = false): string {
  if (partly)
    return `No price is known for the model ${model}, so limits in US dollars do not include its usage while it runs.`;
  const others = new Set(bounds.map(({ unit }) => unit).filter((unit) => unit !== 'usd'));
  const otherLimits =
    others.size === 0 ? 'It has no other limits.' : `Its limits in ${[...others].join(', ')} still apply.`;
  return `No price is known for the model ${model}, so limits in US dollars cannot stop this run. ${otherLimits}`;
}
