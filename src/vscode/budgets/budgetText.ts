import * as vscode from 'vscode';
import type { BudgetStatus } from '../../model/usage/budget.ts';
import { exceededText, figuresText, scopeText, type TextFormat } from '../../protocol/panel/budgetWords.ts';
import { figures } from '../text/numberFormat.ts';

const { t } = vscode.l10n;
const writing: TextFormat = { t, money: (usd) => figures.money(usd), number: (value) => figures.count(value) };

export function nearLimitText(status: BudgetStatus): string {
  return t('The budget for {0} is nearly used up: {1}', ...values(status));
}

export function reachedText(status: BudgetStatus): string {
  const sentence = t('The budget for {0} is used up: {1}', ...values(status));
  const exceeded = exceededText(status, writing);
  return exceeded === '' ? sentence : `${sentence}. ${exceeded.replace(/\.$/, '')}`;
}

function values(status: BudgetStatus): [scope: string, figures: string] {
  return [scopeText(status.scope, writing), figuresText(status, writing)];
}
