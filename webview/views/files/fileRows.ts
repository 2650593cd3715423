import { html, nothing, type TemplateResult } from 'lit/html.js';
import type {
  FileGroup,
  FileLine,
  FileComparison,
  FilesLine,
  FoundLine,
  StepLink,
  UnreportedLine,
} from '../../../src/protocol/panel/viewMessages.ts';
import { button, codicon } from '../../controls.ts';
import { plural, t } from '../../l10n.ts';
import type { Context } from '../../parts/context.ts';
import { dateTime, formatNumber, time } from '../../text/format.ts';
import { splitPath } from '../../text/paths.ts';
import { visibleTemplate } from '../../text/shown.ts';
import { plain } from '../../text/visible.ts';
import { isChangedSince } from './filesSince.ts';

/** The changes of a changed file, else its current content. */
export function openLine({ actions }: Context, line: FilesLine | undefined): void {
  if (line === undefined || line.type === 'group') return;
  if (line.type === 'file' && line.change !== 'read') actions.openChanges(line.path);
  else if (!line.path.endsWith('/')) actions.openFile(line.path);
}

export function renderCells(context: Context, line: FilesLine, since: FileComparison | undefined): TemplateResult {
  if (line.type === 'group') {
    return html`<span role="gridcell"
      >${groupWord(line.group)} <span class="dim">${plural(line.count, t('{0} file', 1), t('{0} files'))}</span></span
    >`;
  }
  return html`${name(context, line, since)}${remainingRow(context, line, since)}`;
}

function remainingRow(
  context: Context,
  line: FileLine | UnreportedLine | FoundLine,
  since: FileComparison | undefined,
): TemplateResult {
  if (line.type === 'file') return renderSteps(context, line, since);
  return line.type === 'unreported' ? unreportedAction(context, line) : renderFoundBy(context, line);
}

function name(
  { actions, store }: Context,
  line: FileLine | UnreportedLine | FoundLine,
  since: FileComparison | undefined,
): TemplateResult {
  // A path that ends with a slash is a nested repository.
  const isFolder = line.path.endsWith('/');
  const { name: base, folder } = splitPath(line.path.replace(/\/$/, ''), store.view?.summary.project_dir);
  const act = (label: string, icon: string, onClick: () => void): TemplateResult =>
    button({ label: t('{0}: {1}', label, plain(base)), title: label, icon, look: 'icon', tabIndex: -1, onClick });
  const changed = line.type === 'file' && line.change !== 'read';
  const change = line.type === 'found' ? undefined : line.change;
  return html`<span class="fl" role="gridcell" title=${plain(line.path)}>
    ${codicon(iconOf(line))}<span class="obj">${visibleTemplate(isFolder ? `${base}/` : base)}</span>
    ${folder === '' ? nothing : html`<span class="dir">${visibleTemplate(folder)}</span>`}
    ${change === 'added' || change === 'deleted' ? html`<span class="dir word">${changeWord(change)}</span>` : nothing}
    ${isChangedSince(since) ? html`<span class="mk" title=${comparisonText(since)}>${codicon('diff-modified', 'sm')}</span>` : nothing}
    <span class="ha">
      ${changed ? act(t('Open changes'), 'diff-single', () => actions.openChanges(line.path)) : nothing}
      ${change === 'deleted' || isFolder ? nothing : act(t('Open file'), 'go-to-file', () => actions.openFile(line.path))}
    </span>
  </span>`;
}

function iconOf(line: FileLine | UnreportedLine | FoundLine): string {
  if (line.type === 'found') return 'search';
  if (line.change === 'added') return 'new-file';
  if (line.change === 'deleted') return 'trash';
  return line.type === 'unreported' ? 'eye-watch' : 'file';
}

function renderSteps({ actions }: Context, line: FileLine, since: FileComparison | undefined): TemplateResult {
  const step = ({ entryIndex, number: step_ }: StepLink, label: string): TemplateResult =>
    html`<span role="gridcell" class="n"
      ><button class="link" tabindex="-1" aria-label=${label} @click=${() => actions.reveal(entryIndex)}>
        ${step_}
      </button></span
    >`;
  return html`<span role="gridcell" class="n"
      >${line.change === 'read' ? nothing : lineCounts(line.added, line.removed, line.counted)}</span
    >
    <span role="gridcell" class="n opt">${formatNumber(line.touches)}</span>
    ${step(line.first, t('Step {0}', line.first.number))}${step(line.last, t('Step {0}', line.last.number))}
    <span role="gridcell" class="since">${comparisonCell(since)}</span>`;
}

function comparisonCell(since: FileComparison | undefined): unknown {
  if (since === undefined || since.state === 'same') return nothing;
  if (since.state === 'unknown') {
    return html`<span class="dim" title=${t('The recorded version is not available')}>–</span>`;
  }
  const words = since.state === 'gone' || since.at === null ? stateWord(since.state) : timeOf(since.at);
  return html`<span title=${comparisonText(since)}>${codicon('diff-modified', 'sm')} ${words}</span>`;
}

function stateWord(state: 'changed' | 'gone'): string {
  return state === 'gone' ? t('deleted') : t('changed');
}

/** Only the time if it was today. */
function timeOf(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return isToday ? time(isoOf(at)) : dateTime(isoOf(at));
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}

/** Empty for an unchanged file, and if unknown. */
function comparisonText(since: FileComparison | undefined): string {
  if (since?.state === 'gone') return t('Deleted since the session ended');
  if (since?.state !== 'changed') return '';
  const at = since.at === null ? '' : dateTime(isoOf(since.at));
  return at === '' ? t('Changed after the session ended') : t('Changed after the session ended: {0}', at);
}

function renderFoundBy({ actions }: Context, { step }: FoundLine): TemplateResult {
  return html`<span role="gridcell" class="note"
    ><button class="link" tabindex="-1" @click=${() => actions.reveal(step.entryIndex)}>
      ${t('Found by step {0}', step.number)}
    </button></span
  >`;
}

function unreportedAction({ actions }: Context, line: UnreportedLine): TemplateResult {
  return html`<span role="gridcell" class="note"
    >${line.besides ? html`<span class="dim">${t('in addition to reported edits')}</span>` : nothing}
    <button class="link" tabindex="-1" @click=${() => actions.reveal(line.entryIndex)}>
      ${t('Show system message')}
    </button></span
  >`;
}

export function lineCounts(added: number, removed: number, counted: boolean): TemplateResult {
  const unsure = counted ? '' : t('At least: line counts of some changes were not reported');
  return html`<span class="ds" title=${unsure === '' ? nothing : unsure}
    >${counted ? nothing : '≥ '}<ins>+${formatNumber(added)}</ins> <del>−${formatNumber(removed)}</del></span
  >`;
}

function groupWord(group: FileGroup): string {
  switch (group) {
    case 'changed':
      return t('Changed');
    case 'unreported':
      return t('Changed without a reported tool call');
    case 'read':
      return t('Only read');
    case 'found':
      return t('Found by a search, never opened');
  }
}

function changeWord(change: FileLine['change']): string {
  switch (change) {
    case 'added':
      return t('added');
    case 'deleted':
      return t('deleted');
    case 'changed':
      return t('changed');
    case 'read':
      return t('read');
  }
}

export function labelOf(line: FilesLine, since: FileComparison | undefined): string {
  if (line.type === 'group') return `${groupWord(line.group)}, ${plural(line.count, t('{0} file', 1), t('{0} files'))}`;
  const path = plain(line.path);
  if (line.type === 'found') return [path, t('Found by step {0}', line.step.number)].join(', ');
  if (line.type === 'unreported') {
    const besides = line.besides ? t('in addition to reported edits') : '';
    return [path, changeWord(line.change), t('without a reported tool call'), besides]
      .filter((part) => part !== '')
      .join(', ');
  }
  const sum =
    line.change === 'read'
      ? ''
      : line.counted
        ? t('{0} lines added, {1} removed', line.added, line.removed)
        : t('at least {0} lines added, {1} removed', line.added, line.removed);
  const steps = t('first step {0}, last step {1}', line.first.number, line.last.number);
  return [path, changeWord(line.change), sum, steps, comparisonText(since)].filter((part) => part !== '').join(', ');
}
