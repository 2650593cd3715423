import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import { t } from '../../l10n.ts';
import type { Layout, PlacedRow } from '../../list/list.ts';
import type { Row } from '../../rows/rows.ts';
import { type Context, isLive } from '../context.ts';
import { headingId, rowBody, turnHeading } from './row.ts';
import { renderSpacer } from './hiddenText.ts';

interface Section {
  readonly turn: number;
  readonly rows: PlacedRow[];
}

/** Visible rows by turn, with placeholders for the others. */
export function transcript(context: Context, { placed, after }: Layout): TemplateResult {
  return html`${repeat(
    groupByTurn(placed),
    ({ turn }) => turn,
    (section) => turnSection(context, section),
  )}${renderSpacer('after', after)}`;
}

function groupByTurn(placed: readonly PlacedRow[]): Section[] {
  const sections: Section[] = [];
  for (const row of placed) {
    const section = sections.at(-1);
    if (section?.turn === row.row.turn) section.rows.push(row);
    else sections.push({ turn: row.row.turn, rows: [row] });
  }
  return sections;
}

function turnSection(context: Context, { turn, rows }: Section): TemplateResult {
  const [first, ...rest] = rows;
  const view = context.store.turns[turn];
  const heading = first?.row.kind === 'turn' ? first : undefined;
  const items = heading === undefined ? rows : rest;
  return html`${heading === undefined ? nothing : renderSpacer('before', heading.before)}
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

/** Data for the host's context menu on a row. */
function entryContext({ store }: Context, index: number): string {
  const { type, metadata } = store.entry(index) ?? {};
  const isPrompt = type?.kind === 'user_message' && metadata?.parentCallId === undefined;
  const webviewSection = type?.kind === 'assistant_message' ? 'answer' : isPrompt ? 'prompt' : 'entry';
  return JSON.stringify({ webviewSection, entry: index, preventDefaultContextMenuItems: false });
}

/** The item with its content depends on these until more changed; `countAgain` updates the total number of entries. */
function item(context: Context, { row, at, before }: PlacedRow): unknown {
  const marked = context.markedKey === row.key;
  const draw = (): TemplateResult =>
    html`${before > 0 ? renderSpacer(row.key, before) : nothing}${body(context, row, at, marked)}`;
  const state = stateOf(context, row);
  return state === undefined ? draw() : guard([...state, at, before, marked], draw);
}

/** Updates the total on all items, including those that are not redrawn. */
export function updateSetSize(rows: HTMLElement, total: number): void {
  for (const element of rows.querySelectorAll('[aria-setsize]')) element.setAttribute('aria-setsize', String(total));
}

/** `undefined`: it may change at any time. */
function stateOf(context: Context, row: Row): unknown[] | undefined {
  if (row.kind !== 'entry') return undefined;
  const { store, focusKey, revision, figures, requests } = context;
  const entry = store.entry(row.index);
  // The buttons of a request must be seen before they work.
  if (entry === undefined || entry.asked !== undefined) return undefined;
  const { type } = entry;
  const waiting = type.kind === 'tool_use' ? requests.requestOfCall(type.tool.callId) : undefined;
  const figure = figures.messages.figureOf(row.index);
  // A running item shows its time.
  const clock = type.kind === 'tool_use' && type.tool.endedAt === undefined ? context.now : 0;
  const { turn, part, depth } = row;
  return [clock, entry, turn, part, depth, focusKey === row.key, isLive(context, turn), figure, waiting, revision];
}

function body(context: Context, row: Row, at: number, marked: boolean): TemplateResult {
  const depth = row.kind === 'entry' ? Math.min(row.depth, 3) : 0;
  const position = 'index' in row ? row.index + 1 : row.kind === 'group' ? (row.indexes[0] ?? 0) + 1 : undefined;
  return html`<div
    class="item ${depth > 0 ? 'nest' : ''} ${marked ? 'marked' : ''}"
    role="listitem"
    aria-posinset=${position ?? nothing}
    aria-setsize=${position === undefined ? nothing : context.store.entryCount}
    data-index=${at}
    data-key=${row.key}
    data-depth=${depth}
    data-vscode-context=${row.kind === 'entry' ? entryContext(context, row.index) : nothing}
  >
    ${rowBody(context, row)}
  </div>`;
}
