export const viewIds = ['transcript', 'trajectory', 'files', 'sources'] as const;

export type ViewId = (typeof viewIds)[number];

export type SideViewId = Exclude<ViewId, 'transcript'>;
