import * as vscode from 'vscode';
import type { Standing } from '../../model/budget.ts';
import { exceededText, figuresText, scopeText, type Writing } from '../../protocol/budgetWords.ts';
import { figures } from '../figures.ts';

const { t } = vscode.l10n;
const writing: Writing = { t, money: (usd) => figures.money(usd), number: (value) => figures.count(value) };

export function nearText(standing: Standing): string {
  return t('The budget for {0} is nearly used up: {1}', ...values(standing));
}

export function reachedText(standing: Standing): string {
  const said = t('The budget for {0} is used up: {1}', ...values(standing));
  const exceeded = exceededText(standing, writing);
  return exceeded === '' ? said : `${said}. ${exceeded.replace(/\.$/, '')}`;
}

function values(standing: Standing): [scope: string, figures: string] {
  return [scopeText(standing.scope, writing), figuresText(standing, writing)];
}
