import * as vscode from 'vscode';
import { markdownOf } from '../../pages/markdownOf.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { pickSession } from '../pick.ts';

const { t } = vscode.l10n;

/** Commands for a session's files, the search index and Doctor. */
export function recordCommands(shell: CommandContext): Commands {
  return {
    async revealRecord(argument) {
      const id = await pickSession(shell, argument, { title: t('Reveal Record') });
      if (id === undefined) return;
      const record = await recordFile(shell, id);
      // Only a local desktop has a file manager for this machine's files.
      const local = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
      await vscode.commands.executeCommand(local ? 'revealFileInOS' : 'vscode.open', record);
    },

    async showRawOutput(argument) {
      const id = await pickSession(shell, argument, { title: t('Show Raw Output') });
      if (id === undefined) return;
      const engine = await shell.engines.get();
      await engine.archive.unpack(id);
      const handle = await engine.open(id);
      const run = handle.turns().at(-1)?.runId;
      const path = run === undefined ? undefined : handle.rawPath(run).stdout;
      handle.dispose();
      if (path === undefined) void vscode.window.showInformationMessage(t('This session has no run yet.'));
      else await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path), { preview: true });
    },

    async rebuildIndex() {
      const title = t('Vitrine: reading every record…');
      const found = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, async () =>
        (await shell.engines.get()).rebuildIndex(),
      );
      shell.list.replace(found);
      const text = found.length === 1 ? t('1 session found.') : t('{0} sessions found.', found.length);
      void vscode.window.showInformationMessage(text);
      await shell.search.rebuild();
    },

    async verifyRecord(argument) {
      const id = await pickSession(shell, argument, { title: t('Verify Session Record') });
      if (id === undefined) return undefined;
      return (await shell.reports.show('verification', id))?.verdict;
    },

    doctor: () => shell.reports.show('doctor').then(markdownOf),
  };
}

/** Path of the record, unpacked if it was compressed. */
async function recordFile({ engines }: CommandContext, id: string): Promise<vscode.Uri> {
  const engine = await engines.get();
  await engine.archive.unpack(id);
  return vscode.Uri.file(engine.recordPath(id));
}
