export const viewIds = ['transcript', 'trajectory', 'files', 'sources'] as const;

export type ViewId = (typeof viewIds)[number];

export type BesideId = Exclude<ViewId, 'transcript'>;
