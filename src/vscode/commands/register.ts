import * as vscode from 'vscode';
import { agentCommands } from './agents/agentCommands.ts';
import { agentFileCommands } from './agents/agentFileCommands.ts';
import { auditCommands } from './records/auditCommands.ts';
import { awayCommands } from './awayCommands.ts';
import { budgetCommands } from './runs/budgetCommands.ts';
import { capabilityCommands } from './views/capabilityCommands.ts';
import { copyCommands } from './menus/copyMenu.ts';
import { daemonCommands } from './daemonCommands.ts';
import { filterCommands } from './filterCommands.ts';
import { exportCommands } from './records/exportCommands.ts';
import { followUpCommands } from './runs/followUpCommands.ts';
import { importCommands } from './records/importCommands.ts';
import { lineCommands } from './views/lineCommands.ts';
import { linkCommands } from './records/linkCommands.ts';
import { menuCommands } from './menus/menuCommands.ts';
import { recordCommands } from './records/recordCommands.ts';
import { relinkCommands } from './records/relinkCommands.ts';
import { raceCommands } from './runs/raceCommands.ts';
import { queueCommands } from './runs/queueCommands.ts';
import { replayCommands } from './runs/replayCommands.ts';
import { retentionCommands } from './records/retentionCommands.ts';
import { reviewCommands } from './views/reviewCommands.ts';
import { restoreCommands } from './records/restoreCommands.ts';
import { runCommands } from './runs/runCommands.ts';
import { runnerCommands } from './runs/runnerCommands.ts';
import { searchCommands } from './views/searchCommands.ts';
import { observedCommands } from './views/observedCommands.ts';
import { sessionCommands } from './sessionCommands.ts';
import type { CommandContext } from './commandContext.ts';
import { teamCommands } from './teamCommands.ts';
import { usageCommands } from './views/usageCommands.ts';
import { viewCommands } from './views/viewCommands.ts';

/** Registers all commands. Failures are shown as messages. */
export function registerCommands(shell: CommandContext): vscode.Disposable {
  const all = {
    ...runCommands(shell),
    ...agentCommands(shell),
    ...agentFileCommands(shell),
    ...runnerCommands(shell),
    ...queueCommands(shell),
    ...raceCommands(shell),
    ...teamCommands(shell),
    ...daemonCommands(shell),
    ...awayCommands(shell),
    ...sessionCommands(shell),
    ...recordCommands(shell),
    ...viewCommands(shell),
    ...filterCommands(shell),
    ...observedCommands(shell),
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
    ...reviewCommands(shell),
    ...linkCommands(shell),
    ...restoreCommands(shell),
    ...menuCommands(shell),
    ...copyCommands(shell),
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
