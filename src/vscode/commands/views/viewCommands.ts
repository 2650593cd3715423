import { groupNames } from '../../sessions/sessionGroups.ts';
import type { Commands, CommandContext } from '../commandContext.ts';

/** Commands of the Sessions view. */
export function viewCommands(shell: CommandContext): Commands {
  return {
    showHiddenSessions() {
      shell.list.showHidden = true;
    },
    hideHiddenSessions() {
      shell.list.showHidden = false;
    },
    goToPrompt: () => shell.panels.pickPrompt(),
    /** Used by rows of the tree, so it is not in the manifest. */
    showMoreSessions(argument) {
      const name = groupNames.find((groupName) => groupName === argument);
      if (name !== undefined) shell.tree.showMore(name);
    },
  };
}
