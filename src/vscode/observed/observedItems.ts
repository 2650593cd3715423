import * as vscode from 'vscode';
import { executorOf } from '../../insight/observed/asSession.ts';
import type { ObservedState } from '../../model/observedState.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { GroupName, SessionNode } from '../sessions/sessionGroups.ts';
import { isForkable } from '../resume/fork.ts';
import { isKeepable } from './keepable.ts';
import { needsYou, type SessionRow } from '../sessions/sessionRow.ts';

const { t } = vscode.l10n;

/** Ended sessions of scripts. They are numerous, so they are folded into one row. */
export function isProgrammatic({ status, observed }: SessionRow): boolean {
  return observed?.entry_point === 'sdk' && observed.problem === null && !isSessionLive(status);
}

/** Context value for the menus of another program's session. */
export function observedContext(row: SessionRow, { agent, live }: ObservedState): string {
  const isAtRest = isKeepable(row);
  return [
    'observed',
    ...(needsYou(row) === undefined ? [] : ['waiting']),
    ...(isAtRest ? ['keepable'] : []),
    ...(isAtRest && executorOf(agent) !== undefined ? ['resumable'] : []),
    ...(isForkable(row) ? ['forkable'] : []),
    ...(live.pid === undefined ? [] : ['inProcess']),
  ].join(' ');
}

export function programmaticItem(name: GroupName, nodes: readonly SessionNode[]): vscode.TreeItem {
  const label = nodes.length === 1 ? t('1 session from scripts') : t('{0} sessions from scripts', nodes.length);
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `programmatic:${name}`;
  item.iconPath = new vscode.ThemeIcon('server-process');
  item.tooltip = t('Started by scripts and SDKs, for example with “-p”.');
  item.contextValue = 'programmatic';
  return item;
}
