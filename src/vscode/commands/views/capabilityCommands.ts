import * as vscode from 'vscode';
import { inertText } from '../../text/inertText.ts';
import { acpHttpProfiles, tokenKey } from '../../settings/settings.ts';
import { markdownOf } from '../../pages/markdownOf.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { pickSession } from '../pick.ts';

const { t } = vscode.l10n;

/** Compares agents' capabilities, and sets server tokens. Starts no run. */
export function capabilityCommands(shell: CommandContext): Commands {
  return {
    compareAgents: () => shell.reports.show('comparison').then(markdownOf),

    async showCapabilities(argument) {
      const id = await pickSession(shell, argument, { title: t('Session Capabilities') });
      return id === undefined ? undefined : markdownOf(await shell.reports.show('capabilities', id));
    },

    async checkResume(argument) {
      const id = await pickSession(shell, argument, { title: t('Will This Resume Here?') });
      return id === undefined ? undefined : markdownOf(await shell.reports.show('resume', id));
    },

    async setServerToken(argument) {
      const servers = acpHttpProfiles();
      const server = servers.find(({ id }) => id === argument) ?? (await pickServer(servers));
      if (server === undefined) return;
      const token = await vscode.window.showInputBox({
        title: t('Token for {0}', inertText(server.label)),
        prompt: t('Sent as a bearer token to {0}. Leave empty to delete the saved token.', inertText(server.baseUrl)),
        password: true,
        ignoreFocusOut: true,
        validateInput: (text) =>
          /^[\x21-\x7e]*$/.test(text.trim()) ? undefined : t('The token contains invalid characters.'),
      });
      if (token === undefined) return;
      if (token.trim() === '') await shell.secrets.delete(tokenKey(server.id));
      else await shell.secrets.store(tokenKey(server.id), token.trim());
    },
  };
}

async function pickServer(servers: ReturnType<typeof acpHttpProfiles>) {
  const setting = 'vitrine.acpHttp.servers';
  if (servers.length === 0) {
    const open = t('Open Settings');
    const chosen = await vscode.window.showInformationMessage(t('No agent servers are configured yet.'), open);
    if (chosen === open) await vscode.commands.executeCommand('workbench.action.openSettings', setting);
    return undefined;
  }
  const items = servers.map((server) => ({
    label: inertText(server.label),
    description: inertText(server.baseUrl),
    server,
  }));
  const title = t('Set Token for Agent Server');
  return (await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true }))?.server;
}
