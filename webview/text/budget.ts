import type { BudgetAlerts, BudgetStatus } from '../../src/model/usage/budget.ts';
import { exceededText, figuresText, scopeText, type TextFormat } from '../../src/protocol/panel/budgetWords.ts';
import { t } from '../l10n.ts';
import { formatNumber, usd } from './format.ts';

const writing: TextFormat = { t, money: usd, number: formatNumber };

export function budgetFigures(status: BudgetStatus): string {
  return figuresText(status, writing);
}

/** One sentence; `undefined` if there is nothing to say. */
export function budgetSentence({ near, reached, unheld }: BudgetAlerts): string | undefined {
  if (reached !== undefined) {
    const sentence = t(
      'Paused: the budget for {0} is used up ({1}).',
      scopeText(reached.scope, writing),
      budgetFigures(reached),
    );
    return [sentence, exceededText(reached, writing)].filter((part) => part !== '').join(' ');
  }
  if (near === undefined) return unheld;
  const sentence = t(
    'The budget for {0} is nearly used up ({1}).',
    scopeText(near.scope, writing),
    budgetFigures(near),
  );
  return unheld === undefined ? sentence : `${sentence} ${unheld}`;
}
