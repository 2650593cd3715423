import * as vscode from 'vscode';
import { sharedAuthor } from '../../model/session/sharedAuthor.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { inertText } from '../text/inertText.ts';
import { originLabel } from '../text/originLabel.ts';
import type { Prompt, PromptIndex } from './promptIndex.ts';
import { figures } from '../text/numberFormat.ts';
import { leftOutText } from '../sessions/rowText.ts';
import { exactDateTime } from '../text/dates.ts';

const { t } = vscode.l10n;

interface Item extends vscode.QuickPickItem {
  readonly index: number;
}

/** Asks for a prompt to go to. Returns its entry's index, or `undefined` if the user cancelled. */
export async function pickPrompt(
  prompts: PromptIndex,
  now: number,
  { shared }: Pick<SessionSummary, 'shared'>,
): Promise<number | undefined> {
  const all = prompts.all();
  const itemOf = ({ index, at, origin, text }: Prompt, place: number): Item => {
    const [icon, word] = originLabel(origin, sharedAuthor(shared));
    const ago = Math.max(0, now - Date.parse(at));
    const [first = ''] = text.trim().split('\n');
    const time = exactDateTime(at);
    return {
      label: `$(${icon}) ${inertText(first)}`,
      description: Number.isFinite(ago) ? t('{0} ago', figures.duration(ago)) : '',
      detail: `${prompts.omitted + place + 1} · ${word} · ${Number.isFinite(ago) ? time : at}`,
      index,
    };
  };
  const every = all.map((prompt, place) => ({ item: itemOf(prompt, place), synthetic: prompt.synthetic }));
  const shown = every.filter(({ synthetic }) => !synthetic);
  const omitted = every.length - shown.length;
  const items = shown.map(({ item }) => item);
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = t('Go to Prompt');
  pick.placeholder =
    prompts.omitted === 0
      ? t('Type to find a prompt')
      : t(
          'Type to find one of the newest {0} prompts. {1} earlier prompts are not listed',
          all.length,
          prompts.omitted,
        );
  if (omitted > 0) {
    const tooltip =
      omitted === 1
        ? t('Show 1 excluded follow-up or child result')
        : t('Show {0} excluded follow-ups and child results', omitted);
    pick.buttons = [{ iconPath: new vscode.ThemeIcon('sync'), tooltip }];
    pick.placeholder = `${pick.placeholder} (${leftOutText(omitted)})`;
    pick.onDidTriggerButton(() => {
      pick.items = every.map(({ item }) => item);
      pick.buttons = [];
    });
  }
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.items = items;
  const last = items.at(-1);
  pick.activeItems = last === undefined ? [] : [last];
  return new Promise<number | undefined>((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.index);
      pick.hide();
    });
    pick.onDidHide(() => resolve(undefined));
    pick.show();
  }).finally(() => pick.dispose());
}
