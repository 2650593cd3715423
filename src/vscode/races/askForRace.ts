import * as vscode from 'vscode';
import type { RaceCommands } from '../run/runMemory.ts';
import { inertText } from '../text/inertText.ts';
import { figures } from '../text/numberFormat.ts';
import { ask, askForText, type Answer } from '../window/quickInput.ts';

const { t } = vscode.l10n;

/** Maximum characters of a command. */
const maxCommand = 10_000;

/** How to run a race. Empty commands are none. */
export interface RaceChoice extends RaceCommands {
  /** Budget of all agents together. */
  readonly usd: number | undefined;
  readonly withChanges: boolean;
}

type Part = 'start' | 'check' | 'setup' | 'budget' | 'changes' | 'share';
type PartItem = vscode.QuickPickItem & { readonly part: Part };

/**
 * Shows how the race will run, and changes it until the user starts. `shared`: in the folder, without worktrees;
 * `undefined`: the user cancelled.
 */
export async function askForRace(
  agents: readonly string[],
  started: RaceChoice,
): Promise<RaceChoice | 'shared' | undefined> {
  const title = t('Race of {0}', agents.join(', '));
  const frame = { title, step: 1, steps: 1 };
  let choice = started;
  let last: Part = 'start';
  for (;;) {
    const items = partItems(choice);
    const answer = await ask<PartItem>({
      ...frame,
      canGoBack: false,
      placeholder: t('Each agent gets its own git worktree. Press Enter to start.'),
      items: () => Promise.resolve(items),
      isActive: ({ part }) => part === last,
    });
    if (answer.kind !== 'value') return undefined;
    last = answer.value.part;
    switch (last) {
      case 'start':
        return choice;
      case 'share':
        return 'shared';
      case 'changes':
        choice = { ...choice, withChanges: !choice.withChanges };
        break;
      default: {
        const changed = await askForPart(last, choice, title);
        if (changed.kind === 'none') return undefined;
        if (changed.kind === 'value') choice = changed.value;
      }
    }
  }
}

function partItems({ check, setup, usd, withChanges }: RaceChoice): PartItem[] {
  const command = (text: string): string => (text === '' ? t('none') : inertText(text));
  return [
    { part: 'start', label: `$(play) ${t('Start Race')}` },
    {
      part: 'check',
      label: `$(beaker) ${t('Check command…')}`,
      description: command(check),
      detail: t('Runs in each worktree after the agent finishes, for example tests.'),
    },
    {
      part: 'setup',
      label: `$(tools) ${t('Setup command…')}`,
      description: command(setup),
      detail: t('Runs in each worktree before the agent starts, for example to install dependencies.'),
    },
    {
      part: 'budget',
      label: `$(credit-card) ${t('Budget…')}`,
      description: usd === undefined ? t('none') : t('{0} for all agents together', figures.money(usd)),
    },
    {
      part: 'changes',
      label: `$(${withChanges ? 'check' : 'circle-large'}) ${t('Include uncommitted changes')}`,
      description: withChanges ? t('yes') : t('no: agents start from the current commit'),
    },
    {
      part: 'share',
      label: `$(folder) ${t('Share the Folder Instead')}`,
      description: t('The agents may change the same files.'),
    },
  ];
}

async function askForPart(
  part: 'check' | 'setup' | 'budget',
  choice: RaceChoice,
  title: string,
): Promise<Answer<RaceChoice>> {
  const step = { title, step: 1, steps: 1, canGoBack: true };
  if (part === 'budget') {
    const answer = await askForText({
      ...step,
      placeholder: t('US dollars, for example 2.50. Leave empty for no limit'),
      value: choice.usd === undefined ? '' : String(choice.usd),
      validate: (text) =>
        text.trim() === '' || parseDollars(text) !== undefined ? undefined : t('Enter an amount above 0.'),
    });
    return answer.kind === 'value' ? { kind: 'value', value: { ...choice, usd: parseDollars(answer.value) } } : answer;
  }
  const answer = await askForText({
    ...step,
    placeholder: t('A shell command. Leave empty for none'),
    value: choice[part],
    validate: (text) => (text.length > maxCommand ? t('Too long') : undefined),
  });
  return answer.kind === 'value' ? { kind: 'value', value: { ...choice, [part]: answer.value.trim() } } : answer;
}

function parseDollars(text: string): number | undefined {
  const value = /^\d+(?:[.,]\d+)?$/.test(text.trim()) ? Number(text.trim().replace(',', '.')) : Number.NaN;
  return value > 0 && value <= 1e6 ? value : undefined;
}
