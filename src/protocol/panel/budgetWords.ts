import type { BudgetStatus } from '../../model/usage/budget.ts';
import type { BudgetScope } from '../../model/usage/budgetNames.ts';

/** Words and numbers in the reader's language. */
export interface TextFormat {
  readonly t: (message: string, ...values: readonly (string | number)[]) => string;
  readonly money: (usd: number) => string;
  readonly number: (value: number) => string;
}

/** What a limit counts, in the middle of a sentence. */
export function scopeText(scope: BudgetScope, { t }: Pick<TextFormat, 't'>): string {
  switch (scope) {
    case 'message':
      return t('this message');
    case 'run':
      return t('this run');
    case 'session':
      return t('this session');
    case 'tree':
      return t('this session and its child sessions');
    case 'day':
      return t('today');
    case 'agent':
      return t('this agent today');
    case 'workspace':
      return t('this workspace');
  }
}

/** `$0.82 of $1.00`, `3 of 3 turns`. */
export function figuresText(
  { unit, spent, limit }: Pick<BudgetStatus, 'unit' | 'spent' | 'limit'>,
  { t, money, number }: TextFormat,
): string {
  switch (unit) {
    case 'usd':
      return t('{0} of {1}', money(spent), money(limit));
    case 'tokens':
      return t('{0} of {1} tokens', number(spent), number(limit));
    case 'turns':
      return t('{0} of {1} turns', number(spent), number(limit));
    case 'minutes':
      return t('{0} of {1} minutes', number(roundedMinutes(spent)), number(roundedMinutes(limit)));
  }
}

/** By how much a limit was exceeded, and why; empty if the displayed figures do not show it. */
export function exceededText(
  { unit, spent, limit }: Pick<BudgetStatus, 'unit' | 'spent' | 'limit'>,
  { t, money, number }: TextFormat,
): string {
  const shown = (value: number): string =>
    unit === 'usd' ? money(value) : number(unit === 'minutes' ? roundedMinutes(value) : value);
  if (spent <= limit || shown(spent) === shown(limit)) return '';
  const excess = spent - limit;
  const late = t('Agents report usage only after a response starts, so the last response can exceed the limit.');
  switch (unit) {
    case 'usd':
      return `${t('{0} over the limit.', money(excess))} ${late}`;
    case 'tokens':
      return `${t('{0} tokens over the limit.', number(excess))} ${late}`;
    case 'turns':
      return `${excess === 1 ? t('1 turn over the limit.') : t('{0} turns over the limit.', number(excess))} ${t('The agent had already started another response.')}`;
    case 'minutes':
      return `${roundedMinutes(excess) === 1 ? t('1 minute over the limit.') : t('{0} minutes over the limit.', number(roundedMinutes(excess)))} ${t('The agent did not stop immediately.')}`;
  }
}

function roundedMinutes(minutes: number): number {
  return Number(minutes.toPrecision(3));
}
