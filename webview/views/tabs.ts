import { html, nothing, type TemplateResult } from 'lit/html.js';
import { formatNumber } from '../text/format.ts';
import type { ViewId } from './viewIds.ts';

export interface Tab {
  readonly id: ViewId;
  readonly title: string;
  readonly count: number | undefined;
  /** What the count excludes; absent: nothing. */
  readonly hint?: string;
}

export interface TabsState {
  readonly tabs: readonly Tab[];
  readonly active: ViewId;
  readonly show: (id: ViewId) => void;
}

export const tabId = (id: ViewId): string => `tab-${id}`;
export const panelId = (id: ViewId): string => (id === 'transcript' ? 'v-transcript' : 'v-other');

/** The view switch: one Tab stop, arrow keys inside; the view follows the focus. */
export function renderTabs(label: string, { tabs: all, active, show }: TabsState): TemplateResult {
  const keys = (event: KeyboardEvent): void => {
    const at = all.findIndex(({ id }) => id === active);
    const to = target(event.key, at, all.length);
    const tab = to === undefined ? undefined : all[to];
    if (tab === undefined) return;
    event.preventDefault();
    show(tab.id);
    document.getElementById(tabId(tab.id))?.focus();
  };
  return html`<div role="tablist" aria-label=${label} @keydown=${keys}>
    ${all.map(
      ({ id, title, count, hint }) =>
        html`<button
          class="tab"
          role="tab"
          id=${tabId(id)}
          aria-selected=${String(id === active)}
          aria-controls=${id === active ? panelId(id) : nothing}
          tabindex=${id === active ? 0 : -1}
          title=${hint ?? nothing}
          @click=${() => show(id)}
        >
          ${title}${count === undefined ? nothing : html` <span class="n">${formatNumber(count)}</span>`}
        </button>`,
    )}
  </div>`;
}

function target(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count;
    case 'ArrowLeft':
      return (at + count - 1) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
