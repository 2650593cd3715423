import * as vscode from 'vscode';
import type { AgentOptions } from '../../../agents/adapter.ts';
import { isBypass } from '../../../agents/choices.ts';
import type { Limit } from '../../../agents/shared/choices.ts';
import type { ExecutorType } from '../../../model/session/session.ts';
import { inertText } from '../../text/inertText.ts';
import { figures } from '../../text/numberFormat.ts';

const { t } = vscode.l10n;

/** A limit as text; 0 means none. */
export function limitText(name: Limit['name'], value: number): string {
  if (value === 0) return t('no limit');
  switch (name) {
    case 'maxTurns':
      return value === 1 ? t('1 turn') : t('{0} turns', value);
    case 'maxBudgetUsd':
      return t('at most {0}', figures.money(value));
    case 'maxAiCredits':
      return t('{0} AI credits', value);
  }
}

/** The agent's name of a mode, with a warning if it bypasses permissions. */
export function modeText(agent: ExecutorType, mode: string | undefined): string {
  if (mode === undefined || mode === 'default') return t('default mode');
  const text = inertText(mode);
  return isBypass(agent, mode) ? `$(warning) ${text}` : text;
}

/** Options in one line, such as `sonnet · plan · 20 turns`, as plain text. */
export function optionLine(agent: ExecutorType, options: AgentOptions): string {
  const names = ['maxTurns', 'maxBudgetUsd', 'maxAiCredits'] as const;
  return [
    options.model === undefined ? t('agent default model') : inertText(options.model),
    modeText(agent, options.permissionMode),
    ...names.flatMap((name) => (options[name] === undefined ? [] : [limitText(name, options[name])])),
  ].join(' · ');
}
