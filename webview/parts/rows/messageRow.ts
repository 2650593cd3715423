import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import type { Token } from 'marked';
import type { PageEntry } from '../../../src/protocol/panel/messages.ts';
import { markToken, unplacedMarks } from '../../cite/marks.ts';
import { button, codicon, areControlsReady } from '../../controls.ts';
import { bodyOf } from '../../store/documents.ts';
import { t } from '../../l10n.ts';
import type { Part } from '../../markdown/blocks.ts';
import { renderBlock } from '../../markdown/render.ts';
import { showAll } from '../../steps/detail.ts';
import { relativeTime } from '../../text/ago.ts';
import { dateTime } from '../../text/format.ts';
import { replayedAt } from '../../text/replay.ts';
import { visibleTemplate } from '../../text/shown.ts';
import { firstWords, plain } from '../../text/visible.ts';
import type { Context } from '../context.ts';
import { figureDetails, figureText, figureDescription } from './messageFigure.ts';
import { originView } from './origin.ts';

/** Steps listed under a message, and characters of each one's input or output. */
const maxSteps = 20;
const longestStep = 400;
const thoughtPartsAtATime = 6;

/** Closed blocks are drawn once, and again when their sources are known. */
function partBody({ actions, store }: Context, entry: PageEntry, part: Part | undefined): unknown {
  const placed = store.linkPlacesOf(entry);
  const drawn =
    placed === undefined
      ? actions
      : { ...actions, renderMarked: (token: Token) => markToken(entry.index, placed, token) };
  return part?.blocks.map((block) => guard([block, placed, areControlsReady()], () => renderBlock(block, drawn)));
}

export function promptRow(context: Context, entry: PageEntry): TemplateResult {
  return html`<div class="prompt" data-focus tabindex="-1">
    ${timeLine(context, entry)}${promptMenu(context, entry)}${originLine(context, entry)}
    <pre class="typed">${withCode(entry.content)}</pre>
    ${showAll({ entry, actions: context.actions })}
  </div>`;
}

/** Opens the menu that a right click or Shift+F10 opens; none where nothing can be done. */
function promptMenu({ store }: Context, { metadata }: PageEntry): TemplateResult | typeof nothing {
  const can = store.view?.can;
  if (metadata?.parentCallId !== undefined || !(can?.send || can?.resume || can?.stop)) return nothing;
  const open = ({ currentTarget }: Event): void => {
    if (!(currentTarget instanceof HTMLElement)) return;
    const { left: clientX, bottom: clientY } = currentTarget.getBoundingClientRect();
    currentTarget.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, clientX, clientY }));
  };
  return button({
    label: t('Actions for this prompt'),
    icon: 'ellipsis',
    look: 'icon',
    tabIndex: -1,
    opensMenu: true,
    onClick: open,
  });
}

/** Author of a message. For the first message of a turn that a person wrote, the turn's heading already says it. */
function originLine({ store }: Context, entry: PageEntry): TemplateResult | typeof nothing {
  const { icon, word, by } = originView(entry, store.member);
  if (by === '' && store.turns.some(({ firstIndex }) => firstIndex === entry.index)) return nothing;
  return html`<span class="by">${codicon(icon, 'sm')} <b>${word}</b>${by === '' ? nothing : html` · ${by}`}</span>`;
}

/** A prompt is shown as typed; only text in backticks becomes code. */
function withCode(text: string): unknown {
  const spans = text.split(/(`[^`\n]+`)/, 400);
  const rest = text.slice(spans.join('').length);
  return html`${spans.map((span, at) => (at % 2 === 1 ? html`<code>${visibleTemplate(span.slice(1, -1))}</code>` : visibleTemplate(span)))}${visibleTemplate(rest)}`;
}

export function proseRow(context: Context, entry: PageEntry, part: number): TemplateResult {
  const { store } = context;
  const parts = store.document(entry);
  const last = part === parts.length - 1;
  const open = last && store.isOpen(entry.index);
  return html`<div
    class="prose ${part === 0 ? '' : 'later'}"
    data-focus
    tabindex="-1"
    aria-busy=${open ? 'true' : nothing}
  >
    ${part === 0 ? timeLine(context, entry) : nothing}${partBody(context, entry, parts[part])}${last ? proseEnd(context, entry) : nothing}
  </div>`;
}

/** Usage and age; details on hover. */
function timeLine({ now, store, figures }: Context, entry: PageEntry): TemplateResult {
  const { timestamp, index } = entry;
  const figure = figures.messages.figureOf(index);
  const isRecording = store.view?.summary.recording === true;
  const replayed = isRecording ? replayedAt(entry, store.turns, (at) => store.entry(at)) : undefined;
  const times =
    replayed === undefined
      ? [dateTime(timestamp)]
      : [t('Replayed {0}', dateTime(replayed)), t('Recorded {0}', dateTime(timestamp))];
  const used = store.level === 'everything' ? figureText(figure) : '';
  return html`<span class="when" title=${[...times, ...figureDetails(figure)].join('\n')}
    >${used === '' ? nothing : html`<span class="used" aria-hidden="true">${used} · </span>`}<time
      datetime=${replayed ?? timestamp}
      >${relativeTime(replayed ?? timestamp, now)}</time
    ></span
  >`;
}

/** Numbers of sources without a position in the text; and the usage, read after it. */
function proseEnd({ store, actions, figures }: Context, entry: PageEntry): TemplateResult {
  const placed = store.linkPlacesOf(entry);
  const used = figureDescription(figures.messages.figureOf(entry.index));
  return html`${interruptedMark(entry)}${placed === undefined ? nothing : unplacedMarks(entry.index, placed)}${renderSteps(entry)}${showAll({ entry, actions })}${used === '' ? nothing : html`<span class="sr">${used}</span>`}`;
}

/** The steps that the agent gave for this text, on hover. */
function renderSteps({ metadata, content }: PageEntry): TemplateResult | typeof nothing {
  const steps = (metadata?.annotations ?? []).filter((annotation) => annotation.kind === 'trajectory');
  if (steps.length === 0) return nothing;
  const points = Array.from(content);
  return html`<ul class="behind" aria-label=${t('Steps that led to this message')}>
    ${steps.slice(0, maxSteps).map((step) => {
      const {
        tool_name: name,
        message,
        tool_input: input,
        tool_output: output,
        start_index: from,
        end_index: to,
      } = step;
      const of = typeof from === 'number' && typeof to === 'number' ? points.slice(from, to).join('') : '';
      const lines = [
        of === '' ? '' : `“${firstWords(of)}”`,
        message ?? '',
        json(input),
        output === null || output === undefined ? '' : `→ ${json(output)}`,
      ];
      return html`<li title=${plain(lines.filter((line) => line !== '').join('\n'))}>
        ${codicon('tools', 'sm')} ${visibleTemplate(name ?? firstWords(message ?? ''))}
      </li>`;
    })}
  </ul>`;
}

function json(value: unknown): string {
  return value === null || value === undefined ? '' : JSON.stringify(value).slice(0, longestStep);
}

/** Marks an unfinished message of the agent. */
function interruptedMark({ metadata }: PageEntry): TemplateResult | typeof nothing {
  if (metadata?.['aborted'] !== true) return nothing;
  return html`<p class="cut-off">${codicon('debug-disconnect', 'sm')} ${t('Interrupted here')}</p>`;
}

/** All parts of a long thought in one row would take too many elements: some at a time. */
function thoughtParts(context: Context, entry: PageEntry, key: string): unknown {
  const { store, actions } = context;
  const parts = store.document(entry);
  let shown = 1;
  while (store.expanded.has(`${key}/${shown}`)) shown += 1;
  const next = `${key}/${shown}`;
  const showMore =
    parts.length > shown * thoughtPartsAtATime
      ? html`<div class="detail-f">
          <button class="link" @click=${() => actions.toggle(next)}>${t('Show more')}</button>
        </div>`
      : nothing;
  return html`${parts.slice(0, shown * thoughtPartsAtATime).map((part) => partBody(context, entry, part))}${showMore}`;
}

/** One line of a thought; all of it when open. */
export function thoughtRow(context: Context, entry: PageEntry, key: string): TemplateResult {
  const { store, actions } = context;
  const text = bodyOf(entry);
  const running = store.isOpen(entry.index);
  const open = store.expanded.has(key) && text !== '';
  const verb = running ? t('Thinking') : t('Thought');
  const words = text === '' ? t('not shown by the agent') : firstWords(text);
  return html`<div class="row" data-s=${running ? 'running' : 'done'} data-kind="thought">
    <button
      class="rb"
      data-focus
      data-toggle="detail"
      tabindex=${context.focusKey === key ? 0 : -1}
      aria-expanded=${String(open)}
      @click=${() => actions.toggle(key)}
    >
      <span class="sr">${[verb, words].join(', ')}</span>
      <span class="num"></span>${codicon('chevron-right', text === '' ? 'tw off' : 'tw')}${codicon('thinking', 'k')}
      <span class="tx" aria-hidden="true"
        ><span class="verb">${verb}</span><span class="note">${visibleTemplate(words)}</span></span
      >
      <span class="mt" aria-hidden="true"></span><span class="dur"></span>
      ${running ? codicon('loading', 'st spin') : html`<span class="st"></span>`}
    </button>
    ${
      open
        ? html`<div class="prose thought">
            ${thoughtParts(context, entry, key)}${interruptedMark(entry)}${showAll({ entry, actions })}
          </div>`
        : nothing
    }
  </div>`;
}
