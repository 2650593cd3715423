import { isObject } from '../../model/json.ts';
import { groupNames } from '../sessionGroups.ts';
import type { Commands, Shell } from './shell.ts';

/** What the Sessions view shows. */
export function viewCommands(shell: Shell): Commands {
  return {
    showHiddenSessions() {
      shell.list.showHidden = true;
    },
    hideHiddenSessions() {
      shell.list.showHidden = false;
    },
    /** From the menu of an answer; `argument` is what its element says of itself. */
    async copyWithSources(argument) {
      const entry = isObject(argument) ? argument['entry'] : undefined;
      if (typeof entry === 'number') await shell.panels.copyWithSources(entry);
    },
    goToPrompt: () => shell.panels.pickPrompt(),
    /** Behind a row of the tree, so not in the manifest. */
    showMoreSessions(argument) {
      const name = groupNames.find((each) => each === argument);
      if (name !== undefined) shell.tree.showMore(name);
    },
  };
}
