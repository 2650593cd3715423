import type { Commands, CommandContext } from '../commandContext.ts';

/** Searches all sessions. */
export function searchCommands({ search, panels }: CommandContext): Commands {
  return {
    searchSessions: (query) => search.search(typeof query === 'string' ? query : undefined),
    searchEverywhere: () => search.setEverywhere(true),
    searchHere: () => search.setEverywhere(false),
    searchSynthetic: () => search.setSynthetic(true),
    searchPeopleOnly: () => search.setSynthetic(false),
    clearSearch: () => search.clear(),
    rebuildSearchIndex: () => search.rebuild(),
    /** Used by rows of the results, so it is not in the manifest. */
    async openSearchHit(session, entry) {
      if (typeof session === 'string' && typeof entry === 'number') await panels.reveal(session, entry);
    },
  };
}
