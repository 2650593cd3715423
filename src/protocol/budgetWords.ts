import type { Standing } from '../model/budget.ts';
import type { BudgetScope } from '../model/budgetNames.ts';

/** How whoever shows a budget writes in the reader's language. */
export interface Writing {
  readonly t: (message: string, ...values: readonly (string | number)[]) => string;
  readonly money: (usd: number) => string;
  readonly number: (value: number) => string;
}

/** What a limit counts, in the middle of a sentence. */
export function scopeText(scope: BudgetScope, { t }: Pick<Writing, 't'>): string {
  switch (scope) {
    case 'message':
      return t('this message');
    case 'run':
      return t('this run');
    case 'session':
      return t('this session');
    case 'tree':
      return t('this session and those that belong to it');
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
  { unit, spent, limit }: Pick<Standing, 'unit' | 'spent' | 'limit'>,
  { t, money, number }: Writing,
): string {
  switch (unit) {
    case 'usd':
      return t('{0} of {1}', money(spent), money(limit));
    case 'tokens':
      return t('{0} of {1} tokens', number(spent), number(limit));
    case 'turns':
      return t('{0} of {1} turns', number(spent), number(limit));
    case 'minutes':
      return t('{0} of {1} minutes', number(short(spent)), number(short(limit)));
  }
}

function short(minutes: number): number {
  return Number(minutes.toPrecision(3));
}
