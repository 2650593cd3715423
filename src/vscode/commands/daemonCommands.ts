import type { Commands, CommandContext } from './commandContext.ts';

/** The background process that runs agents, and all that runs in it. */
export function daemonCommands({ store, version, machine }: CommandContext): Commands {
  return {
    async showDaemonStatus() {
      const { showDaemonStatus } = await import('../daemon/daemonStatus.ts');
      await showDaemonStatus(store.fsPath, version);
    },

    stopAllAgents: () => machine.stopAll(),
  };
}
