import * as vscode from 'vscode';
import type { ExecutorType } from '../../model/session/session.ts';
import { inertText } from '../text/inertText.ts';
import { isObject } from '../../model/text/json.ts';
import { rowDescription, stateIcon, stateOf } from '../sessions/rowText.ts';
import { titleOf, type SessionRow } from '../sessions/sessionRow.ts';
import type { CommandContext } from './commandContext.ts';

const { t } = vscode.l10n;

/** Session id from the argument of a menu, tree row, page or keybinding. */
export function sessionOfArgument(argument: unknown): string | undefined {
  if (typeof argument === 'string') return /^ses_[0-9a-f]{12}$/.test(argument) ? argument : undefined;
  if (!isObject(argument)) return undefined;
  // A row of the queue.
  if (argument['kind'] === 'run' && isObject(argument['run'])) return sessionOfArgument(argument['run']['session_id']);
  if (argument['kind'] !== 'session' || !isObject(argument['node'])) return undefined;
  const { row } = argument['node'];
  return isObject(row) ? sessionOfArgument(row['session_id']) : undefined;
}

/** Index of the row on which a page's menu was opened. */
export function entryOf(argument: unknown): number | undefined {
  const entry = isObject(argument) ? argument['entry'] : undefined;
  return typeof entry === 'number' && Number.isInteger(entry) && entry >= 0 ? entry : undefined;
}

/** Session of a command: the given one, else that of the active panel, else one that the user picks. */
export async function pickSession(
  shell: CommandContext,
  argument: unknown,
  options: {
    readonly title: string;
    readonly filter?: (row: SessionRow) => boolean;
    readonly usePanel?: boolean;
    readonly withShared?: boolean;
  },
): Promise<string | undefined> {
  const { filter = () => true, usePanel = true, withShared = false } = options;
  const direct = sessionOfArgument(argument) ?? (usePanel ? shell.panels.active : undefined);
  if (direct !== undefined) return direct;
  await shell.loader.load();
  const rows = shell.list.visible().filter((row) => (withShared || row.shared === undefined) && filter(row));
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(t('No matching session yet.'));
    return undefined;
  }
  const items = [...rows]
    .sort((a, b) => b.updated_at.localeCompare(a.updated_at))
    .map((row) => ({
      label: inertText(titleOf(row)),
      description: inertText(rowDescription(row, Date.now())),
      iconPath: stateIcon(stateOf(row)),
      id: row.session_id,
    }));
  const picked = await vscode.window.showQuickPick(items, { title: options.title });
  return picked?.id;
}

interface NamedItem {
  readonly type: ExecutorType;
  readonly label: string;
}

/** Asks which agent printed a file; `why` is shown as the reason. `undefined` if the user cancelled. */
export async function pickAgent(why: string, agents: readonly NamedItem[]): Promise<ExecutorType | undefined> {
  const items = agents.map(({ type, label }) => ({ label: inertText(label), type }));
  const placeHolder = t('Select the agent that produced this file');
  return (await vscode.window.showQuickPick(items, { title: inertText(why), placeHolder }))?.type;
}
