import { groupNames } from '../../sessions/sessionGroups.ts';
import type { Commands, CommandContext } from '../commandContext.ts';

/** What the Sessions view shows. */
export function viewCommands(shell: CommandContext): Commands {
  return {
    showHiddenSessions() {
      shell.list.showHidden = true;
    },
    hideHiddenSessions() {
      shell.list.showHidden = false;
    },
    goToPrompt: () => shell.panels.pickPrompt(),
    /** Behind a row of the tree, so not in the manifest. */
    showMoreSessions(argument) {
      const name = groupNames.find((each) => each === argument);
      if (name !== undefined) shell.tree.showMore(name);
    },
  };
}
