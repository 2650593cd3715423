import type { TemplateResult } from 'lit/html.js';
import type { FromPage, ToPage } from '../../src/protocol/panel/messages.ts';
import type { Context } from '../parts/context.ts';
import type { SavedViews } from './savedViews.ts';
import type { SideViewId } from './viewIds.ts';

export interface ViewDeps {
  readonly request: (message: (request: number) => FromPage) => Promise<ToPage>;
  /** Has an entry loaded into the store. */
  readonly load: (index: number) => Promise<void>;
  /** From when the page was there last. */
  readonly kept: SavedViews;
  readonly changed: () => void;
}

/** One of the views beside the transcript. It is drawn only while it is the one on screen. */
export interface PageView {
  readonly id: SideViewId;
  /** Stands beside the title on the tab; `undefined` while no one knows. */
  count(context: Context): number | undefined;
  /** What the count is made of. */
  hint?(context: Context): string | undefined;
  draw(context: Context): TemplateResult;
  /** What was drawn is in the page. */
  drawn?(place: HTMLElement): void;
  /** Something came from the host, also while another view is on screen. */
  take?(message: ToPage): void;
}
