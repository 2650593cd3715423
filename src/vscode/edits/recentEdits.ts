import path from 'node:path';
import * as vscode from 'vscode';
import type { RecentEdit } from '../../engine/catalogue/edits.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import { figures } from '../text/numberFormat.ts';
import { inertText } from '../text/inertText.ts';

const { t } = vscode.l10n;

/** Files that are offered. */
const maxFiles = 200;

interface Item extends vscode.QuickPickItem {
  readonly edit: RecentEdit;
}

interface RecentEditsDeps {
  readonly engines: EngineHost;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Shows the step. */
  readonly lead: (sessionId: string, entry: number) => Promise<void>;
}

/** Offers the files that agents changed last, over all sessions. Each leads to the step that changed it. */
export async function pickRecentEdit({ engines, now, lead }: RecentEditsDeps): Promise<void> {
  const pick = vscode.window.createQuickPick<Item>();
  const openFile = { iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: t('Open File') };
  Object.assign(pick, { title: t('Recent Agent Edits'), busy: true, placeholder: t('Looking for changed files…') });
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  const stop = new AbortController();
  pick.onDidHide(() => {
    stop.abort();
    pick.dispose();
  });
  pick.onDidTriggerItemButton(({ item }) => void vscode.window.showTextDocument(vscode.Uri.file(item.edit.path)));
  pick.onDidAccept(() => {
    const [chosen] = pick.selectedItems;
    if (chosen === undefined) return;
    pick.hide();
    void lead(chosen.edit.session.session_id, chosen.edit.entry);
  });
  pick.show();
  try {
    const { archive } = await engines.get();
    const edits = await archive.search.recentEdits({ signal: stop.signal }, maxFiles);
    pick.items = edits.map((edit) => ({ ...itemOf(edit, now()), buttons: [openFile] }));
    pick.placeholder =
      edits.length === 0
        ? t('No agent has changed any files yet.')
        : t('Select a file to see the step that changed it');
    pick.busy = false;
  } catch (error) {
    if (stop.signal.aborted) return;
    pick.hide();
    throw error;
  }
}

function itemOf(edit: RecentEdit, now: number): Item {
  const { session, at } = edit;
  const ago = now - Date.parse(at);
  const title = (session.title ?? session.prompt).trim().split('\n', 1)[0] ?? '';
  return {
    edit,
    label: inertText(path.basename(edit.path)),
    description: inertText(vscode.workspace.asRelativePath(path.dirname(edit.path))),
    iconPath: vscode.ThemeIcon.File,
    detail: [inertText(title), session.agent_label, ...(ago >= 0 ? [t('{0} ago', figures.duration(ago))] : [])].join(
      ' · ',
    ),
  };
}
