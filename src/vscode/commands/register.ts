import * as vscode from 'vscode';
import { agentCommands } from './agentCommands.ts';
import { agentFileCommands } from './agentFileCommands.ts';
import { auditCommands } from './auditCommands.ts';
import { awayCommands } from './awayCommands.ts';
import { budgetCommands } from './budgetCommands.ts';
import { capabilityCommands } from './capabilityCommands.ts';
import { daemonCommands } from './daemonCommands.ts';
import { filterCommands } from './filterCommands.ts';
import { exportCommands } from './exportCommands.ts';
import { followUpCommands } from './followUpCommands.ts';
import { importCommands } from './importCommands.ts';
import { lineCommands } from './lineCommands.ts';
import { linkCommands } from './linkCommands.ts';
import { menuCommands } from './menus/menuCommands.ts';
import { recordCommands } from './recordCommands.ts';
import { relinkCommands } from './relinkCommands.ts';
import { replayCommands } from './replayCommands.ts';
import { retentionCommands } from './retentionCommands.ts';
import { runCommands } from './runCommands.ts';
import { runnerCommands } from './runnerCommands.ts';
import { searchCommands } from './searchCommands.ts';
import { sessionCommands } from './sessionCommands.ts';
import type { Shell } from './shell.ts';
import { usageCommands } from './usageCommands.ts';
import { viewCommands } from './viewCommands.ts';

/** Registers every command; one that fails says so in a message. */
export function registerCommands(shell: Shell): vscode.Disposable {
  const all = {
    ...runCommands(shell),
    ...agentCommands(shell),
    ...agentFileCommands(shell),
    ...runnerCommands(shell),
    ...daemonCommands(shell),
    ...awayCommands(shell),
    ...sessionCommands(shell),
    ...recordCommands(shell),
    ...viewCommands(shell),
    ...filterCommands(shell),
    ...searchCommands(shell),
    ...budgetCommands(shell),
    ...followUpCommands(shell),
    ...capabilityCommands(shell),
    ...usageCommands(shell),
    ...exportCommands(shell),
    ...auditCommands(shell),
    ...retentionCommands(shell),
    ...relinkCommands(shell),
    ...importCommands(shell),
    ...replayCommands(shell),
    ...lineCommands(shell),
    ...linkCommands(shell),
    ...menuCommands(shell),
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
