import type { Commands, CommandContext } from './commandContext.ts';

/** Commands for the background process that runs agents. */
export function daemonCommands({ store, version, machine }: CommandContext): Commands {
  return {
    async showDaemonStatus() {
      const { showDaemonStatus } = await import('../daemon/daemonStatus.ts');
      await showDaemonStatus(store.fsPath, version);
    },

    stopAllAgents: () => machine.stopAll(),
  };
}
