import * as vscode from 'vscode';
import type { RecallResult, RecalledPassage, RecallRequest } from '../../../engine/recall/types.ts';
import type { QuerySource } from '../../../insight/recall/querySource.ts';
import type { SearchedSession } from '../../../engine/search/types.ts';
import type { EngineHost } from '../../engine/engineHost.ts';
import { inertText } from '../../text/inertText.ts';
import { disposeLater, type Answer, type Step } from '../../window/quickInput.ts';
import { figures } from '../../text/numberFormat.ts';
import { isHere } from '../../sessions/sessionList.ts';

const { t } = vscode.l10n;

export interface RecallDeps {
  readonly engines: EngineHost;
}

interface RecallStepOptions extends Pick<RecallRequest, 'session' | 'message'> {
  readonly step: Omit<Step, 'placeholder'>;
}

interface Item extends vscode.QuickPickItem {
  readonly passage: RecalledPassage;
}

const longestLine = 160;

/** Shows context from earlier sessions, from which the user can remove passages. `undefined` in the answer: none. */
export async function askForRecall(
  deps: RecallDeps,
  { step, ...asked }: RecallStepOptions,
): Promise<Answer<RecallResult | undefined>> {
  const pick = vscode.window.createQuickPick<Item>();
  const { canGoBack, title, step: at, steps } = step;
  Object.assign(pick, { title, step: at, totalSteps: steps, ignoreFocusOut: true, canSelectMany: true });
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  const open = { iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: t('Show in Session') };
  const wider = { iconPath: new vscode.ThemeIcon('globe'), tooltip: t('Also Search Other Folders') };
  const thisWorkspace = {
    iconPath: new vscode.ThemeIcon('root-folder'),
    tooltip: t('Search This Workspace Only'),
  };
  let found: RecallResult | undefined;
  let everywhere = false;
  let stop = new AbortController();
  const search = async (): Promise<void> => {
    stop.abort();
    stop = new AbortController();
    const { signal } = stop;
    Object.assign(pick, { busy: true, items: [], placeholder: t('Searching earlier sessions…') });
    pick.buttons = [...(canGoBack ? [vscode.QuickInputButtons.Back] : []), everywhere ? thisWorkspace : wider];
    found = undefined;
    const { archive } = await deps.engines.get();
    const within = everywhere ? isWork : isOwn;
    const others = (session: SearchedSession): boolean => session.session_id !== asked.session && within(session);
    const answer = await archive.recall.find({ ...asked, within: others, signal });
    if (signal.aborted) return;
    found = answer;
    pick.items = answer.passages.map((passage) => itemOf(passage, open));
    pick.selectedItems = pick.items;
    Object.assign(pick, { busy: false, placeholder: foundText(answer) });
  };
  return new Promise<Answer<RecallResult | undefined>>((resolve, reject) => {
    const look = (): void =>
      void search().catch((error: unknown) => {
        if (!stop.signal.aborted) reject(error instanceof Error ? error : new Error(String(error)));
      });
    pick.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) {
        resolve({ kind: 'back' });
        return;
      }
      everywhere = button === wider;
      look();
    });
    pick.onDidTriggerItemButton(({ item: { passage } }) => {
      void vscode.commands.executeCommand('vitrine.openSearchHit', passage.sessionId, passage.entry);
    });
    pick.onDidHide(() => resolve({ kind: 'none' }));
    pick.onDidAccept(() => {
      if (found === undefined) return;
      const passages = pick.selectedItems.map(({ passage }) => passage);
      resolve({ kind: 'value', value: passages.length === 0 ? undefined : { ...found, passages } });
    });
    pick.show();
    look();
  }).finally(() => {
    stop.abort();
    disposeLater(pick);
  });
}

/** Number of added passages, for the row that opens this step. */
export function passagesText({ passages }: RecallResult): string {
  const sessions = new Set(passages.map(({ sessionId }) => sessionId)).size;
  return passages.length === 1
    ? t('Sent with the prompt: 1 passage from an earlier session')
    : t('Sent with the prompt: {0} passages from {1} earlier sessions', passages.length, sessions);
}

/** Recordings are not the user's work. */
const isWork = ({ recording }: SearchedSession): boolean => !recording;

const isOwn = (session: SearchedSession): boolean => isWork(session) && session.hidden !== true && isHere(session);

function itemOf(passage: RecalledPassage, open: vscode.QuickInputButton): Item {
  const { text, title, by, at } = passage;
  const line = text.replaceAll(/\s+/g, ' ');
  const ago = Date.now() - Date.parse(at);
  const who = by === 'user' ? t('You') : t('Agent');
  return {
    label: inertText(line.slice(0, longestLine)),
    iconPath: new vscode.ThemeIcon(by === 'user' ? 'account' : 'hubot'),
    detail: [inertText(title), who, ...(ago >= 0 ? [t('{0} ago', figures.duration(ago))] : [])].join(' · '),
    buttons: [open],
    passage,
  };
}

function foundText({ source, passages, sessions }: RecallResult): string {
  if (source === null) return t('Enter a prompt first. Vitrine searches earlier sessions for its words');
  const by = sourceText(source);
  if (passages.length === 0) return t('No matches for {1} in {0} earlier sessions', sessions, by);
  return t('Found with {0}. Deselect the passages you do not want to send', by);
}

function sourceText(source: QuerySource): string {
  switch (source) {
    case 'current_message':
      return t('the text of this message');
    case 'last_real_user_message':
      return t('your last message');
    case 'conversation_summary':
      return t('the outcome of the conversation');
  }
}
