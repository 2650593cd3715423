import type { TemplateResult } from 'lit/html.js';
import type { ToPage } from '../../src/protocol/messages.ts';
import type { Context } from '../parts/context.ts';

export const viewIds = ['transcript', 'trajectory', 'files', 'sources'] as const;
export type ViewId = (typeof viewIds)[number];

/** One of the views beside the transcript. It is drawn only while it is the one on screen. */
export interface PageView {
  readonly id: Exclude<ViewId, 'transcript'>;
  title(): string;
  /** Stands beside the title on the tab; `undefined` while nobody knows. */
  count(context: Context): number | undefined;
  draw(context: Context): TemplateResult;
  /** What was drawn is in the page. */
  drawn?(place: HTMLElement): void;
  /** Something came from the host, also while another view is on screen. */
  take?(message: ToPage): void;
}
