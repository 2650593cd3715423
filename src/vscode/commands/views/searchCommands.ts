import type { Commands, CommandContext } from '../commandContext.ts';

/** Finding something in all sessions. */
export function searchCommands({ search, panels }: CommandContext): Commands {
  return {
    searchSessions: (query) => search.search(typeof query === 'string' ? query : undefined),
    searchEverywhere: () => search.setEverywhere(true),
    searchHere: () => search.setEverywhere(false),
    searchSynthetic: () => search.setSynthetic(true),
    searchPeopleOnly: () => search.setSynthetic(false),
    clearSearch: () => search.clear(),
    rebuildSearchIndex: () => search.rebuild(),
    /** Behind a row of the results, so not in the manifest. */
    async openSearchHit(session, entry) {
      if (typeof session === 'string' && typeof entry === 'number') await panels.lead(session, entry);
    },
  };
}
