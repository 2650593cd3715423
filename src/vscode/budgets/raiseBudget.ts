import * as vscode from 'vscode';
import type { Bound, BudgetStatus } from '../../model/usage/budget.ts';
import { scopeText } from '../../protocol/panel/budgetWords.ts';
import { nearLimitText, reachedText } from './budgetText.ts';

const { t } = vscode.l10n;

/** Asks the user for the new limit; there is no other way to raise it. `undefined`: unchanged. */
export async function askForLimit(status: BudgetStatus): Promise<Bound | undefined> {
  const { scope, unit, key, spent, limit } = status;
  const whole = unit === 'tokens' || unit === 'turns';
  const suggested = Math.max(limit, spent) * 2;
  const entered = await vscode.window.showInputBox({
    title: t('Raise Budget'),
    prompt: t(
      '{0}. New limit for {1}, {2}:',
      spent >= limit ? reachedText(status) : nearLimitText(status),
      scopeText(scope, { t }),
      unitText(unit),
    ),
    value: String(whole ? Math.ceil(suggested) : Number(suggested.toPrecision(3))),
    ignoreFocusOut: true,
    validateInput: (text) => {
      const value = limitOf(text, whole);
      if (value === undefined) return whole ? t('Enter a whole number.') : t('Enter a number.');
      return value > Math.max(spent, limit)
        ? undefined
        : t('Enter a number greater than {0}.', String(Math.max(spent, limit)));
    },
  });
  const value = entered === undefined ? undefined : limitOf(entered, whole);
  return value === undefined ? undefined : { scope, unit, key, limit: value };
}

function limitOf(text: string, whole: boolean): number | undefined {
  const value = Number(text.trim().replace(/^\$/, ''));
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) return undefined;
  return whole && !Number.isInteger(value) ? undefined : value;
}

function unitText(unit: Bound['unit']): string {
  switch (unit) {
    case 'usd':
      return t('in US dollars');
    case 'tokens':
      return t('in tokens');
    case 'turns':
      return t('in model turns');
    case 'minutes':
      return t('in active minutes');
  }
}
