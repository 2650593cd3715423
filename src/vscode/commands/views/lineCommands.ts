import * as vscode from 'vscode';
import { isObject } from '../../../model/text/json.ts';
import type { LineOrigin } from '../../lines/lineOrigins.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { sessionOfArgument } from '../pick.ts';

const { t } = vscode.l10n;

interface Item extends vscode.QuickPickItem {
  readonly origin: LineOrigin;
}

/** Finds the steps that wrote lines of a file. Starts no program. */
export function lineCommands(shell: CommandContext): Commands {
  return {
    /** Used by our hovers, lenses and links, so it is not in the manifest. */
    async openEntry(argument, index) {
      const id = sessionOfArgument(argument);
      if (id !== undefined && typeof index === 'number' && Number.isInteger(index) && index >= 0) {
        await shell.panels.reveal(id, index);
      }
    },

    async recentEdits() {
      const { pickRecentEdit } = await import('../../edits/recentEdits.ts');
      await pickRecentEdit({
        engines: shell.engines,
        now: Date.now,
        lead: (id, entry) => shell.panels.reveal(id, entry),
      });
    },

    /** For the line of the cursor, or `{lineNumber}` (1-based) from the gutter menu. */
    async whyThisLine(argument) {
      const editor = vscode.window.activeTextEditor;
      if (editor?.document.uri.scheme !== 'file') {
        void vscode.window.showInformationMessage(t('Open a workspace file and place the cursor on a line.'));
        return;
      }
      const { document, selection } = editor;
      const number = isObject(argument) ? argument['lineNumber'] : undefined;
      const line = typeof number === 'number' ? Math.min(number, document.lineCount) - 1 : selection.active.line;
      const title = t('Vitrine: searching recorded sessions…');
      const progress = { location: vscode.ProgressLocation.Window, title };
      const found = await vscode.window.withProgress(progress, () => originsOf(shell, document, line));
      if (found.origins.length === 0) {
        void vscode.window.showInformationMessage(found.why);
        return;
      }
      const picked = await pick(await itemsOf(found.origins), line, found.why);
      if (picked !== undefined) await shell.panels.reveal(picked.session, picked.index);
    },
  };
}

/** `why`: how far the search went. */
async function originsOf(
  shell: CommandContext,
  document: vscode.TextDocument,
  line: number,
): Promise<{ readonly origins: readonly LineOrigin[]; readonly why: string }> {
  const { index, origins } = await shell.lines.lines();
  const claims = await origins.claims(document);
  if (claims === undefined) return { origins: [], why: t('This file is too long to compare with sessions.') };
  const reported = await Promise.all((claims[line] ?? []).map((claim) => origins.findOrigin(claim)));
  const searchedText = index.sessions === 1 ? t('Searched 1 session.') : t('Searched {0} sessions.', index.sessions);
  const skipped = index.skipped === 0 ? '' : t('Skipped entries (too many, too long, or damaged): {0}.', index.skipped);
  const known = reported.filter((origin) => origin !== undefined);
  const none = known.length > 0 ? '' : t('No recorded session wrote or read the current text of line {0}.', line + 1);
  return { origins: known, why: [none, searchedText, skipped].filter((part) => part !== '').join(' ') };
}

async function itemsOf(origins: readonly LineOrigin[]): Promise<Item[]> {
  const { originFacts, originPrompt, originTitle } = await import('../../lines/lineText.ts');
  return origins.map((origin) => {
    const { kind, edited, promptIndex } = origin;
    const how = kind === 'read' ? t('read by') : edited ? t('written by, edited since') : t('written by');
    return {
      origin,
      label: `$(${kind === 'read' ? 'eye' : edited ? 'edit-code' : 'edit'}) ${originTitle(origin)}`,
      description: `${how} · ${originFacts(origin)}`,
      detail: originPrompt(origin),
      buttons:
        promptIndex === undefined ? [] : [{ iconPath: new vscode.ThemeIcon('comment'), tooltip: t('Show Prompt') }],
    };
  });
}

/** Asks for one of the steps, and returns the step or its prompt. */
function pick(
  items: readonly Item[],
  line: number,
  placeholder: string,
): Promise<{ session: string; index: number } | undefined> {
  const list = vscode.window.createQuickPick<Item>();
  list.title = t('Why is line {0} here?', line + 1);
  list.placeholder = placeholder;
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.items = items;
  return new Promise<{ session: string; index: number } | undefined>((resolve) => {
    list.onDidTriggerItemButton(({ item: { origin } }) => {
      resolve({ session: origin.session, index: origin.promptIndex ?? origin.entryIndex });
      list.hide();
    });
    list.onDidAccept(() => {
      const [item] = list.selectedItems;
      resolve(item === undefined ? undefined : { session: item.origin.session, index: item.origin.entryIndex });
      list.hide();
    });
    list.onDidHide(() => resolve(undefined));
    list.show();
  }).finally(() => list.dispose());
}
