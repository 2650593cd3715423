import * as vscode from 'vscode';
import type { Standing } from '../../model/budget.ts';
import type { BudgetScope } from '../../model/budgetNames.ts';
import { money } from '../rowText.ts';

const { t } = vscode.l10n;

/** What a limit counts, in the middle of a sentence. */
export function scopeText(scope: BudgetScope): string {
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
export function figuresText({ unit, spent, limit }: Pick<Standing, 'unit' | 'spent' | 'limit'>): string {
  switch (unit) {
    case 'usd':
      return t('{0} of {1}', money(spent), money(limit));
    case 'tokens':
      return t('{0} of {1} tokens', spent.toLocaleString(), limit.toLocaleString());
    case 'turns':
      return t('{0} of {1} turns', spent, limit);
    case 'minutes':
      return t('{0} of {1} minutes', short(spent), short(limit));
  }
}

export function nearText(standing: Standing): string {
  return t('The budget of {0} is nearly used up: {1}', scopeText(standing.scope), figuresText(standing));
}

export function reachedText(standing: Standing): string {
  return t('The budget of {0} is used up: {1}', scopeText(standing.scope), figuresText(standing));
}

function short(minutes: number): string {
  return String(Number(minutes.toPrecision(3)));
}
