import * as vscode from 'vscode';
import { sessionLink } from '../../sessions/sessionLinks.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { entryOf, pickSession } from '../pick.ts';

const { t } = vscode.l10n;

const extension = 'vitrine.vitrine';
/** Maximum number of characters to copy to the clipboard. */
const maxCharacters = 20_000_000;
const noticeMs = 3000;

/** Copies links to sessions and entries, and their content. */
export function linkCommands(shell: CommandContext): Commands {
  return {
    async copyLink(argument) {
      const session = await pickSession(shell, argument, { title: t('Copy Link') });
      if (session === undefined) return;
      const entry = entryOf(argument);
      const place = entry === undefined ? { session } : { session, entry };
      await vscode.env.clipboard.writeText(sessionLink(vscode.env.uriScheme, extension, place));
      vscode.window.setStatusBarMessage(t('Link copied'), noticeMs);
    },

    async copyMarkdown(argument) {
      const session = await pickSession(shell, argument, { title: t('Copy as Markdown') });
      if (session === undefined) return;
      const entry = entryOf(argument);
      const copied = entry === undefined ? await wholeSession(shell, session) : await oneEntry(shell, session, entry);
      if (copied !== undefined) await copyText(copied);
    },

    /** Copies an answer with its sources, from its menu. */
    async copyWithSources(argument) {
      const entry = entryOf(argument);
      const text = entry === undefined ? undefined : await shell.panels.withSources(entry);
      if (text !== undefined) await copyText((await shell.engines.get()).archive.maskSecrets(text));
    },
  };
}

async function copyText({ text, masked }: CopyResult): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  const message =
    masked === 0
      ? t('Copied as Markdown')
      : masked === 1
        ? t('Copied as Markdown, 1 secret masked')
        : t('Copied as Markdown, {0} secrets masked', masked);
  vscode.window.setStatusBarMessage(message, noticeMs);
}

interface CopyResult {
  readonly text: string;
  /** Number of masked secrets. */
  readonly masked: number;
}

async function oneEntry({ engines }: CommandContext, session: string, entry: number): Promise<CopyResult | undefined> {
  return (await engines.get()).archive.entryMarkdown(session, entry);
}

/** Same format as the export to a file. */
async function wholeSession({ engines }: CommandContext, session: string): Promise<CopyResult | undefined> {
  const exported = await (await engines.get()).archive.export(session, { format: 'markdown', redact: true });
  const parts: string[] = [];
  let length = 0;
  for await (const chunk of exported.chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length <= maxCharacters) continue;
    const choice = t('Export Session');
    const text = t('This session is too long for the clipboard. Export it to a file instead.');
    const chosen = await vscode.window.showWarningMessage(text, choice);
    if (chosen === choice) await vscode.commands.executeCommand('vitrine.exportSession', session);
    return undefined;
  }
  return { text: parts.join(''), masked: exported.report()?.redaction?.total ?? 0 };
}
