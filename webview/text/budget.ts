import type { BudgetState, Standing } from '../../src/model/budget.ts';
import type { BudgetScope } from '../../src/model/budgetNames.ts';
import { t } from '../l10n.ts';
import { number, usd } from './format.ts';

/** What a limit counts, in the middle of a sentence. */
function scopeWord(scope: BudgetScope): string {
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
export function budgetFigures({ unit, spent, limit }: Pick<Standing, 'unit' | 'spent' | 'limit'>): string {
  switch (unit) {
    case 'usd':
      return t('{0} of {1}', usd(spent), usd(limit));
    case 'tokens':
      return t('{0} of {1} tokens', number(spent), number(limit));
    case 'turns':
      return t('{0} of {1} turns', number(spent), number(limit));
    case 'minutes':
      return t('{0} of {1} minutes', short(spent), short(limit));
  }
}

/** One sentence; `undefined` where no budget is to be spoken of. */
export function budgetSentence({ near, reached, unheld }: BudgetState): string | undefined {
  if (reached !== undefined) {
    return t('Paused: the budget of {0} is used up ({1}).', scopeWord(reached.scope), budgetFigures(reached));
  }
  if (near === undefined) return unheld;
  const said = t('The budget of {0} is nearly used up ({1}).', scopeWord(near.scope), budgetFigures(near));
  return unheld === undefined ? said : `${said} ${unheld}`;
}

function short(minutes: number): string {
  return number(Number(minutes.toPrecision(3)));
}
