import * as vscode from 'vscode';
import type { SourceScope } from '../../protocol/daemon/sources.ts';
import { inertText } from '../text/inertText.ts';
import {
  filterDays,
  filterStates,
  isFiltering,
  noFilter,
  type FilterState,
  type SessionFilter,
} from '../observed/filter.ts';
import type { Commands, CommandContext } from './commandContext.ts';

const { t } = vscode.l10n;

type Part = Exclude<keyof SessionFilter, 'scope'>;

/** Which sessions the Sessions view shows: one menu, each entry of which leads to one choice. */
export function filterCommands(shell: CommandContext): Commands {
  const { list, observed } = shell;
  const set = <P extends Part>(part: P, value: SessionFilter[P] | undefined): void => {
    const others = Object.entries(list.filter).filter(([name]) => name !== part);
    const { scope } = list.filter;
    list.filter = { ...Object.fromEntries(others), scope, ...(value !== undefined && { [part]: value }) };
  };
  return {
    async filterSessions() {
      const { filter } = list;
      switch (await pickPart(filter, list.showHidden)) {
        case 'hidden':
          list.showHidden = !list.showHidden;
          return;
        case 'scope': {
          const scope = await pickScope(filter.scope);
          if (scope !== undefined) await observed.setScope(scope);
          return;
        }
        case 'agents': {
          const labels = [
            ...new Set([...list.all(), ...list.observed()].map(({ agent_label: label }) => label)),
          ].sort();
          const agents = await pickSeveral(t('Filter by Agent'), labels, (label) => inertText(label), filter.agents);
          if (agents !== undefined) set('agents', agents.length === 0 ? undefined : agents);
          return;
        }
        case 'states': {
          const states = await pickSeveral(t('Filter by State'), filterStates, stateText, filter.states);
          if (states !== undefined) set('states', states.length === 0 ? undefined : states);
          return;
        }
        case 'days': {
          const days = await pickDays();
          if (days !== undefined) set('days', days === 'any' ? undefined : days);
          return;
        }
        case 'text': {
          const text = await vscode.window.showInputBox({
            title: t('Filter by Text'),
            prompt: t('In the title, first prompt, branch or folder'),
            value: filter.text ?? '',
          });
          if (text !== undefined) set('text', text.trim() === '' ? undefined : text.trim());
          return;
        }
        case 'clear':
          list.filter = { ...noFilter, scope: filter.scope };
          return;
        case undefined:
          return;
      }
    },
  };
}

type Choice = keyof SessionFilter | 'hidden' | 'clear';

async function pickPart(filter: SessionFilter, showsHidden: boolean): Promise<Choice | undefined> {
  const { scope, agents, states, days, text } = filter;
  const any = t('Any');
  const items: (vscode.QuickPickItem & { readonly part: Choice })[] = [
    { label: `$(root-folder) ${t('Folders')}`, description: scopeText(scope), part: 'scope' },
    { label: `$(robot) ${t('Agent')}`, description: agents?.map(inertText).join(', ') ?? any, part: 'agents' },
    { label: `$(pulse) ${t('State')}`, description: states?.map(stateText).join(', ') ?? any, part: 'states' },
    { label: `$(calendar) ${t('Last Change')}`, description: days === undefined ? any : daysText(days), part: 'days' },
    { label: `$(search) ${t('Text')}`, description: text === undefined ? any : inertText(text), part: 'text' },
    { label: `$(eye) ${t('Hidden Sessions')}`, description: showsHidden ? t('shown') : t('not shown'), part: 'hidden' },
    ...(isFiltering(filter) ? [{ label: `$(clear-all) ${t('Clear Filters')}`, part: 'clear' as const }] : []),
  ];
  return (await vscode.window.showQuickPick(items, { title: t('Filter Sessions') }))?.part;
}

async function pickScope(current: SourceScope): Promise<SourceScope | undefined> {
  const scopes: readonly SourceScope[] = ['folder', 'repository', 'everything'];
  const items = scopes.map((scope) => ({
    label: scopeText(scope),
    ...(scope === current && { description: t('Current') }),
    scope,
  }));
  return (await vscode.window.showQuickPick(items, { title: t('Sessions of Other Programs') }))?.scope;
}

async function pickSeveral<T extends string>(
  title: string,
  values: readonly T[],
  text: (value: T) => string,
  current: readonly T[] | undefined,
): Promise<readonly T[] | undefined> {
  const items = values.map((value) => ({ label: text(value), picked: current?.includes(value) ?? false, value }));
  const picked = await vscode.window.showQuickPick(items, {
    title,
    canPickMany: true,
    placeHolder: t('Select none to show all'),
  });
  return picked?.map(({ value }) => value);
}

async function pickDays(): Promise<number | 'any' | undefined> {
  const items = [
    { label: t('Any'), days: 'any' as const },
    ...filterDays.map((days) => ({ label: daysText(days), days })),
  ];
  return (await vscode.window.showQuickPick(items, { title: t('Filter by Last Change') }))?.days;
}

function scopeText(scope: SourceScope): string {
  if (scope === 'folder') return t('This folder');
  return scope === 'repository' ? t('This repository, with worktrees and clones') : t('All folders');
}

function stateText(state: FilterState): string {
  switch (state) {
    case 'needsYou':
      return t('Needs you');
    case 'running':
      return t('Running');
    case 'idle':
      return t('Idle');
    case 'ended':
      return t('Ended');
  }
}

function daysText(days: number): string {
  return days === 1 ? t('Last 24 hours') : t('Last {0} days', days);
}
