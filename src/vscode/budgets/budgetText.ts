import * as vscode from 'vscode';
import type { Standing } from '../../model/budget.ts';
import { figuresText, scopeText, type Writing } from '../../protocol/budgetWords.ts';
import { money } from '../rowText.ts';

const { t } = vscode.l10n;
const writing: Writing = { t, money, number: (value) => value.toLocaleString(vscode.env.language) };

export function nearText(standing: Standing): string {
  return t('The budget of {0} is nearly used up: {1}', ...values(standing));
}

export function reachedText(standing: Standing): string {
  return t('The budget of {0} is used up: {1}', ...values(standing));
}

function values(standing: Standing): [scope: string, figures: string] {
  return [scopeText(standing.scope, writing), figuresText(standing, writing)];
}
