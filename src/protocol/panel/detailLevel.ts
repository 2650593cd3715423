/** Levels of detail of the transcript, most detailed first. Hidden rows are replaced by their count. */
export const detailLevels = ['everything', 'summary', 'answers'] as const;
export type DetailLevel = (typeof detailLevels)[number];
