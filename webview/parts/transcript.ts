import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import { t } from '../l10n.ts';
import type { List } from '../list.ts';
import type { Row } from '../rows.ts';
import type { Context } from './context.ts';
import { headingId, rowBody, turnHeading } from './row.ts';
import { spacer } from './spacer.ts';

interface Placed {
  readonly row: Row;
  readonly at: number;
  /** Height of what is left out before it. */
  readonly before: number;
}

interface Section {
  readonly turn: number;
  readonly rows: Placed[];
}

/** The rows on screen, by turn, with the height of what is not on screen between them. */
export function transcript(context: Context, list: List): TemplateResult {
  const { sections, after } = place(list);
  return html`${repeat(
    sections,
    ({ turn }) => turn,
    (section) => turnSection(context, section),
  )}${spacer('after', after)}`;
}

function place(list: List): { sections: Section[]; after: number } {
  const sections: Section[] = [];
  let end = 0;
  for (const item of list.items()) {
    const row = list.row(item.index);
    if (row === undefined) continue;
    let section = sections.at(-1);
    if (section?.turn !== row.turn) {
      section = { turn: row.turn, rows: [] };
      sections.push(section);
    }
    section.rows.push({ row, at: item.index, before: item.start - end });
    end = item.end;
  }
  return { sections, after: Math.max(0, list.height - end) };
}

function turnSection(context: Context, { turn, rows }: Section): TemplateResult {
  const [first, ...rest] = rows;
  const view = context.store.turns[turn];
  const heading = first?.row.kind === 'turn' ? first : undefined;
  const items = heading === undefined ? rows : rest;
  return html`${heading === undefined ? nothing : spacer('before', heading.before)}
    <section class="turn" aria-labelledby=${view === undefined ? nothing : headingId(view)}>
      ${
        heading === undefined || view === undefined
          ? nothing
          : html`<div class="item head ${turn > 0 ? 'later' : ''}" data-index=${heading.at} data-key=${heading.row.key}>
              ${turnHeading(context, view, turn)}
            </div>`
      }
      <div role="list" aria-label=${t('Entries')}>
        ${repeat(
          items,
          ({ row }) => row.key,
          (placed) => item(context, placed),
        )}
      </div>
    </section>`;
}

/** What the host's own menu is told of a row. */
function entryContext({ store }: Context, index: number): string {
  const webviewSection = store.entry(index)?.type.kind === 'assistant_message' ? 'answer' : 'entry';
  return JSON.stringify({ webviewSection, entry: index, preventDefaultContextMenuItems: false });
}

function item(context: Context, { row, at, before }: Placed): TemplateResult {
  const depth = row.kind === 'entry' ? Math.min(row.depth, 3) : 0;
  const position = 'index' in row ? row.index + 1 : row.kind === 'group' ? (row.indexes[0] ?? 0) + 1 : undefined;
  return html`${before > 0 ? spacer(row.key, before) : nothing}
    <div
      class="item ${depth > 0 ? 'nest' : ''} ${context.markedKey === row.key ? 'marked' : ''}"
      role="listitem"
      aria-posinset=${position ?? nothing}
      aria-setsize=${position === undefined ? nothing : context.store.total}
      data-index=${at}
      data-key=${row.key}
      data-depth=${depth}
      data-vscode-context=${row.kind === 'entry' ? entryContext(context, row.index) : nothing}
    >
      ${rowBody(context, row)}
    </div>`;
}
