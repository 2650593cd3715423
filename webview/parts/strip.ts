import { html, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import { ref } from 'lit/directives/ref.js';
import type { List } from '../list/list.ts';
import type { Context } from './context.ts';

/** Marks of the same height are merged: the strip is as tall as the screen. */
const most = 120;

/** Marks of turns and failures on the scrollbar. Decorative: the rows have the same information. */
export function overviewRuler({ store, requests }: Context, list: List): TemplateResult {
  const marks = new Map<number, 'turn' | 'failed' | 'denied' | 'request'>();
  const place = (index: number): number => Math.round((index / Math.max(1, store.entryCount)) * most);
  for (const { firstIndex } of store.turns) marks.set(place(firstIndex), 'turn');
  for (let at = 0; at < list.length; at++) {
    const row = list.row(at);
    if (row?.kind !== 'entry') continue;
    const entry = store.entry(row.index);
    const type = entry?.type;
    if (entry?.asked !== undefined && requests.isWaiting(entry.asked.request.id)) {
      marks.set(place(row.index), 'request');
      continue;
    }
    if (type?.kind === 'error' || (type?.kind === 'tool_use' && type.tool.status === 'failed')) {
      marks.set(place(row.index), 'failed');
    } else if (type?.kind === 'tool_use' && type.tool.status === 'denied') {
      marks.set(place(row.index), 'denied');
    }
  }
  // Marks of a long session keep their positions as it grows.
  return html`${guard([[...marks].join()], () => [...marks].map(([at, kind]) => mark((at / most) * 100, kind)))}`;
}

function mark(percent: number, kind: string): TemplateResult {
  const put = (element: Element | undefined): void => {
    if (element instanceof HTMLElement) element.style.top = `${percent}%`;
  };
  return html`<i data-k=${kind} ${ref(put)}></i>`;
}
