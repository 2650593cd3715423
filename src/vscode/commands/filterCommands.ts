import * as vscode from 'vscode';
import { inertText } from '../text/inertText.ts';
import {
  filterDays,
  filterStates,
  isFiltering,
  noFilter,
  type FilterState,
  type SessionFilter,
  type ViewScope,
} from '../observed/filter.ts';
import { costText, datesText, parseCost, parseDates, parseFilterText } from '../observed/filterText.ts';
import type { Commands, CommandContext } from './commandContext.ts';

const { t } = vscode.l10n;

type Part = Exclude<keyof SessionFilter, 'scope'>;
/** `undefined` removes a part. */
type Parts = { readonly [P in Part]?: SessionFilter[P] | undefined };

/** Filters of the Sessions view, as a menu of choices. */
export function filterCommands(shell: CommandContext): Commands {
  const { list, observed } = shell;
  const set = (parts: Parts): void => {
    const { scope } = list.filter;
    const all = Object.entries({ ...list.filter, ...parts }).filter(([, value]) => value !== undefined);
    list.filter = { ...Object.fromEntries(all), scope };
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
          if (agents !== undefined) set({ agents: agents.length === 0 ? undefined : agents });
          return;
        }
        case 'states': {
          const states = await pickSeveral(t('Filter by State'), filterStates, stateText, filter.states);
          if (states !== undefined) set({ states: states.length === 0 ? undefined : states });
          return;
        }
        case 'dates': {
          const dates = await pickDates(filter);
          if (dates !== undefined) set({ days: undefined, dates: undefined, ...dates });
          return;
        }
        case 'cost': {
          const typed = await vscode.window.showInputBox({
            title: t('Filter by Cost'),
            prompt: t('US dollars, such as >1, <=0.5 or 0.5..2. Sessions without a known cost are excluded.'),
            value: filter.cost === undefined ? '' : costText(filter.cost),
            validateInput: (value) =>
              value.trim() === '' || parseCost(value) !== undefined
                ? undefined
                : t('Enter an amount such as >1, <=0.5 or 0.5..2.'),
          });
          if (typed !== undefined) set({ cost: parseCost(typed) });
          return;
        }
        case 'text': {
          const typed = await vscode.window.showInputBox({
            title: t('Filter by Text'),
            prompt: t(
              'Text in the title, first prompt, branch or folder. Operators: cost:>1 after:2026-11-01 before:2026-11-20',
            ),
            value: filter.text ?? '',
            validateInput: (value) => {
              const [problem] = parseFilterText(value).problems;
              return problem === undefined ? undefined : t('Cannot read “{0}”.', inertText(problem));
            },
          });
          if (typed === undefined) return;
          const { text, cost, dates } = parseFilterText(typed);
          const found = { ...(cost !== undefined && { cost }), ...(dates !== undefined && { dates, days: undefined }) };
          set({ text, ...found });
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

type Choice = Exclude<keyof SessionFilter, 'days'> | 'hidden' | 'clear';

async function pickPart(filter: SessionFilter, showsHidden: boolean): Promise<Choice | undefined> {
  const { scope, agents, states, cost, text } = filter;
  const any = t('Any');
  const items: (vscode.QuickPickItem & { readonly part: Choice })[] = [
    { label: `$(root-folder) ${t('Folders')}`, description: scopeText(scope), part: 'scope' },
    { label: `$(robot) ${t('Agent')}`, description: agents?.map(inertText).join(', ') ?? any, part: 'agents' },
    { label: `$(pulse) ${t('State')}`, description: states?.map(stateText).join(', ') ?? any, part: 'states' },
    { label: `$(calendar) ${t('Last Change')}`, description: lastChangeText(filter) ?? any, part: 'dates' },
    { label: `$(credit-card) ${t('Cost')}`, description: cost === undefined ? any : costText(cost), part: 'cost' },
    { label: `$(search) ${t('Text')}`, description: text === undefined ? any : inertText(text), part: 'text' },
    { label: `$(eye) ${t('Hidden Sessions')}`, description: showsHidden ? t('shown') : t('not shown'), part: 'hidden' },
    ...(isFiltering(filter) ? [{ label: `$(clear-all) ${t('Clear Filters')}`, part: 'clear' as const }] : []),
  ];
  return (await vscode.window.showQuickPick(items, { title: t('Filter Sessions') }))?.part;
}

async function pickScope(current: ViewScope): Promise<ViewScope | undefined> {
  const scopes: readonly ViewScope[] = ['folder', 'repository', 'everything', 'team'];
  const items = scopes.map((scope) => ({
    label: scopeText(scope),
    ...(scope === current && { description: t('Current') }),
    scope,
  }));
  return (await vscode.window.showQuickPick(items, { title: t('Sessions from Other Programs and the Team') }))?.scope;
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

async function pickDates({ dates }: SessionFilter): Promise<Pick<Parts, 'days' | 'dates'> | undefined> {
  const range = { label: t('Dates…'), days: undefined, isRange: true };
  const items = [
    { label: t('Any'), days: undefined, isRange: false },
    ...filterDays.map((days) => ({ label: daysText(days), days, isRange: false })),
    range,
  ];
  const picked = await vscode.window.showQuickPick(items, { title: t('Filter by Last Change') });
  if (picked === undefined || !picked.isRange) return picked === undefined ? undefined : { days: picked.days };
  const typed = await vscode.window.showInputBox({
    title: t('Filter by Last Change'),
    prompt: t('Days, such as 2026-11-01..2026-11-20, 2026-11-01.. or 2026-11-05'),
    value: dates === undefined ? '' : datesText(dates),
    validateInput: (value) =>
      value.trim() === '' || parseDates(value) !== undefined
        ? undefined
        : t('Enter dates such as 2026-11-01..2026-11-20.'),
  });
  return typed === undefined ? undefined : { dates: parseDates(typed) };
}

function lastChangeText({ days, dates }: SessionFilter): string | undefined {
  if (dates !== undefined) return datesText(dates);
  return days === undefined ? undefined : daysText(days);
}

function scopeText(scope: ViewScope): string {
  if (scope === 'folder') return t('This folder');
  if (scope === 'team') return t('Team: this repository, and what other members share');
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
