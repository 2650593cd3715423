import * as vscode from 'vscode';
import type { ReviewRange } from '../../engine/review/reviewSession.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import { inertText } from '../text/inertText.ts';

const { t } = vscode.l10n;

/** Turns that are offered, the newest ones. */
const maxTurns = 50;

interface Item extends vscode.QuickPickItem {
  readonly range?: ReviewRange;
}

/** Asks which part of a session to review; one with a single turn is reviewed as a whole. */
export async function pickRange(engines: EngineHost, id: string): Promise<ReviewRange | undefined> {
  const handle = await (await engines.get()).open(id);
  try {
    const turns = handle.turns().slice(-maxTurns);
    if (turns.length < 2) return { since: 0 };
    const prompts = await Promise.all(turns.map(({ firstIndex }) => handle.read(firstIndex, firstIndex + 1)));
    const parts = turns.map(({ firstIndex: since }, at) => {
      const [first = ''] = (prompts[at]?.[0]?.content ?? '').trim().split('\n');
      return { label: inertText(first), since, until: turns[at + 1]?.firstIndex ?? handle.entryCount() };
    });
    const items: Item[] = [
      { label: t('Whole Session'), range: { since: 0 } },
      { label: t('One turn'), kind: vscode.QuickPickItemKind.Separator },
      ...parts.map(({ label, since, until }) => ({ label, range: { since, until } })).reverse(),
      { label: t('Since a prompt'), kind: vscode.QuickPickItemKind.Separator },
      ...parts.map(({ label, since }) => ({ label, range: { since } })).reverse(),
    ];
    return (await vscode.window.showQuickPick(items, { title: t('Select the changes to review') }))?.range;
  } finally {
    handle.dispose();
  }
}
