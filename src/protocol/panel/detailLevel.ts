/** How much of a session the transcript shows, the most first. What a level hides is counted where it would stand. */
export const detailLevels = ['everything', 'summary', 'answers'] as const;
export type DetailLevel = (typeof detailLevels)[number];
