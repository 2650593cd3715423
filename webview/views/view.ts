import type { TemplateResult } from 'lit/html.js';
import type { FromPage, ToPage } from '../../src/protocol/panel/messages.ts';
import type { Context } from '../parts/context.ts';
import type { SavedViews } from './savedViews.ts';
import type { SideViewId } from './viewIds.ts';

export interface ViewDeps {
  readonly request: (message: (request: number) => FromPage) => Promise<ToPage>;
  /** Loads an entry into the store. */
  readonly load: (index: number) => Promise<void>;
  /** Time of the last visit. */
  readonly kept: SavedViews;
  readonly changed: () => void;
}

/** One of the views beside the transcript. It is drawn only while visible. */
export interface PageView {
  readonly id: SideViewId;
  /** Number after the title on the tab; `undefined` if unknown. */
  count(context: Context): number | undefined;
  /** What the count consists of. */
  hint?(context: Context): string | undefined;
  draw(context: Context): TemplateResult;
  /** Called when the drawing is in the page. */
  handleDrawn?(place: HTMLElement): void;
  /** A message of the host, also while another view is visible. */
  handleMessage?(message: ToPage): void;
}
