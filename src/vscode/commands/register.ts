import * as vscode from 'vscode';
import { capabilityCommands } from './capabilityCommands.ts';
import { exportCommands } from './exportCommands.ts';
import { importCommands } from './importCommands.ts';
import { recordCommands } from './recordCommands.ts';
import { replayCommands } from './replayCommands.ts';
import { runCommands } from './runCommands.ts';
import { sessionCommands } from './sessionCommands.ts';
import type { Shell } from './shell.ts';
import { viewCommands } from './viewCommands.ts';

/** Registers every command; one that fails says so in a message. */
export function registerCommands(shell: Shell): vscode.Disposable {
  const all = {
    ...runCommands(shell),
    ...sessionCommands(shell),
    ...recordCommands(shell),
    ...viewCommands(shell),
    ...capabilityCommands(shell),
    ...exportCommands(shell),
    ...importCommands(shell),
    ...replayCommands(shell),
  };
  const registered = Object.entries(all).map(([name, run]) =>
    vscode.commands.registerCommand(`vitrine.${name}`, async (...args: readonly unknown[]) => {
      try {
        return await run(...args);
      } catch (error) {
        void shell.failures.show(error);
        return undefined;
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}
