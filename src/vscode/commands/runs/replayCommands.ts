import path from 'node:path';
import * as vscode from 'vscode';
import { outputProfile } from '../../../engine/replay/outputProfile.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { pickAgent } from '../pick.ts';

const { t } = vscode.l10n;

/** Plays an agent's output from a file. Starts no program, so it also works in Restricted Mode. */
export function replayCommands(shell: CommandContext): Commands {
  return {
    /** Returns the session's id. Callers may pass a path. */
    async replayFile(argument) {
      const file = typeof argument === 'string' ? argument : await askForFile();
      if (file === undefined) return undefined;
      const name = path.basename(file);
      const engine = await shell.engines.get();
      const found = await engine.recognizeOutput(file);
      const [only, ...others] = found;
      const agent =
        only !== undefined && others.length === 0
          ? only.type
          : await pickAgent(
              t('Could not determine which agent produced {0}.', name),
              only === undefined ? engine.archive.importable() : found,
            );
      if (agent === undefined) return undefined;
      const profile = outputProfile(agent, file);
      const id = await shell.runs.start({ agent: 'replay', profile, prompt: t('Replay of {0}', name) });
      if (id === undefined) return undefined;
      await shell.panels.open(id);
      await shell.tree.reveal(id);
      return id;
    },
  };
}

async function askForFile(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: t('Select a file with the standard output of an agent'),
    openLabel: t('Replay'),
  });
  return chosen?.[0]?.fsPath;
}
