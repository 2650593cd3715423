import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { CardStep, EvidenceCard, PageLink } from '../../../src/protocol/panel/evidence.ts';
import type { Actions } from '../../actions.ts';
import { codicon } from '../../controls.ts';
import { t } from '../../l10n.ts';
import { linkTarget } from '../../markdown/targets.ts';
import { dateTime, time } from '../../text/format.ts';
import { splitPath } from '../../text/paths.ts';
import { visibleTemplate } from '../../text/shown.ts';
import { firstWords, plain } from '../../text/visible.ts';
import { verdictIcons } from './claimVerdict.ts';
import { verdictSentence } from './verdictSentence.ts';
import { evidenceText } from './evidenceText.ts';

export interface CardState {
  readonly link: PageLink | undefined;
  /** `undefined` until the host has answered, `null` if nothing is known. */
  readonly card: EvidenceCard | null | undefined;
  readonly projectDir: string | undefined;
  readonly openFile: Actions['openFile'];
  readonly followPage: Actions['followPage'];
  readonly goToStep: (index: number) => void;
  /** If the card was not opened from the text. */
  readonly goToText: (() => void) | undefined;
}

/** Renders the source of a claim, as a dialog that does not take the focus. */
export function card(state: CardState): TemplateResult {
  const { link, card: known } = state;
  const number = known?.number ?? link?.number;
  return html`<div
    class="card"
    role="dialog"
    aria-label=${number === undefined ? t('Source') : t('Source {0}', number)}
    aria-busy=${known === undefined ? 'true' : nothing}
    tabindex="-1"
  >
    ${
      known === undefined
        ? html`<p class="c-n">${t('Searching the record…')}</p>`
        : known === null
          ? html`<p class="c-n">${t('The record does not include this source.')}</p>`
          : renderCard(state, known)
    }
  </div>`;
}

function renderCard(state: CardState, known: EvidenceCard): TemplateResult {
  return html`${head(state, known)}
    <p class="c-e" data-e=${known.status}>
      ${codicon({ given: 'verified', found: 'link', not_found: 'unverified' }[known.status])}<span
        >${foundSentence(known)}</span
      >
    </p>
    ${known.status === 'found' ? verdictSection(known) : nothing}
    ${evidenceText(known)}${otherSources(state, known.others)}${cardFooter(state, known)}`;
}

function head({ projectDir }: CardState, known: EvidenceCard): TemplateResult {
  const { given, source, claim } = known;
  const path = source?.path ?? known.path;
  const url = given?.url ?? source?.url ?? known.url;
  if (path !== null) {
    const { name } = splitPath(path, projectDir);
    const lines = known.text?.lines ?? known.lines;
    return heading('file', name, [
      known.text === null || isOnlyNamed(source)
        ? html`${fileWords(known)}`
        : html`<span title=${dateTime(source?.at ?? '')}>${t('As of {0}', time(source?.at ?? ''))}</span>`,
      html`<span class="mono"
        >${visibleTemplate(path)}${lines === null ? nothing : `:${rangeOf(known.lines ?? lines)}`}</span
      >`,
    ]);
  }
  if (source?.command !== null && source?.command !== undefined) {
    const exit = source.exitCode;
    return heading('terminal', firstWords(claim), [
      html`${exit === null ? t('Command, exit code not recorded') : t('Command, exit {0}', exit)}${
        source.at === '' ? nothing : html` <span title=${dateTime(source.at)}>· ${time(source.at)}</span>`
      }`,
    ]);
  }
  if (url !== null || given !== null) {
    const title = given?.title ?? source?.title ?? url ?? claim;
    const about = given?.description ?? '';
    return heading('globe', title, [
      ...(url === null ? [] : [address(url)]),
      ...(about === '' ? [] : [html`${visibleTemplate(about)}`]),
    ]);
  }
  return heading(known.kind === 'command' || known.kind === 'test' ? 'terminal' : 'quote', claim, []);
}

/** A step that named a file may not have read it. */
function isOnlyNamed(source: CardStep | null): boolean {
  return source?.why === 'named_in_command' || source?.why === 'named_in_output';
}

function fileWords({ status, source }: EvidenceCard): string {
  if (source?.why === 'named_in_command') return t('File named in a command');
  if (source?.why === 'named_in_output') return t('File named in tool output');
  return status === 'not_found' ? t('File named in the text') : t('File');
}

function heading(icon: string, title: string, about: readonly TemplateResult[]): TemplateResult {
  return html`<div class="c-h">
    ${codicon(icon)}<span class="c-t" title=${plain(title)}>${visibleTemplate(title.slice(0, 300))}</span>
    ${about.map((line) => html`<span class="c-k">${line}</span>`)}
  </div>`;
}

/** The complete URL, because a title can say anything. */
function address(url: string): TemplateResult {
  return linkTarget(url)?.kind === 'page'
    ? html`<a role="link" tabindex="0" data-url=${url}>${visibleTemplate(url)}</a>`
    : html`<span>${visibleTemplate(url)}</span>`;
}

function rangeOf([first, last]: readonly [number, number]): string {
  return first === last ? String(first) : `${first}–${last}`;
}

function verdictSection(known: EvidenceCard): TemplateResult | typeof nothing {
  const sentence = verdictSentence(known);
  if (known.judged === null || sentence === undefined) return nothing;
  const { verdict } = known.judged;
  return html`<p class="c-e" data-v=${verdict}>
    ${codicon(verdictIcons[verdict])}<span>${visibleTemplate(sentence)}</span>
  </p>`;
}

function foundSentence({ status, reason, source, exists, path, others: near }: EvidenceCard): string {
  switch (status) {
    case 'given':
      return source === null
        ? t('Cited by the agent. Does not appear in any step of this session.')
        : t('Cited by the agent. Also appears in step {0}.', source.step);
    case 'found':
      return t('Found in step {0}. The agent did not cite a source.', source?.step ?? '');
    case 'not_found':
      break;
  }
  switch (reason) {
    case 'lines_not_seen':
      return t('Not found. The file appears in this session, but no step contains these lines.');
    case 'url_not_in_session':
      return t('Not found. No step of this session has this URL.');
    case 'file_not_in_session': {
      const now = exists === null ? '' : ` ${exists ? t('The file exists now.') : t('The file no longer exists.')}`;
      return `${fileNotFound(path ?? '', near)}${now}`;
    }
    case 'no_matching_command':
    case null:
      return t('Not found. No matching command in this session.');
  }
}

/** Similar steps: they had another action or another file of this name. */
function fileNotFound(path: string, near: readonly CardStep[]): string {
  if (near.length === 0) return t('Not found. No step of this session read, changed or named this file.');
  return near.some((step) => step.status !== 'success' && isSameFile(step.path ?? '', path))
    ? t('Not found. The steps that name this file were denied or failed.')
    : t('Not found. This session has only other files with the same name.');
}

/** One of the paths may be relative to a subfolder of the other's. */
function isSameFile(a: string, b: string): boolean {
  const [x = '', y = ''] = [a, b].map((path) =>
    `/${path.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '')}`.toLowerCase(),
  );
  return x.endsWith(y) || y.endsWith(x);
}

function otherSources({ goToStep }: CardState, steps: readonly CardStep[]): TemplateResult | typeof nothing {
  if (steps.length === 0) return nothing;
  return html`<p class="c-o">
    ${t('Other possible sources:')}
    ${steps.map(
      ({ step, entryIndex, path, command, url }) =>
        html`<button class="link" title=${plain(path ?? command ?? url ?? '')} @click=${() => goToStep(entryIndex)}>
          ${t('Step {0}', step)}
        </button> `,
    )}
  </p>`;
}

function cardFooter(
  { openFile, followPage, goToStep, goToText }: CardState,
  known: EvidenceCard,
): TemplateResult | typeof nothing {
  const { source, status } = known;
  const path = source?.path ?? known.path;
  const url = known.given?.url ?? source?.url ?? known.url;
  const lines = known.lines ?? known.text?.lines ?? null;
  const isMissing = known.since === 'gone' || known.exists === false;
  const open = (to: string): void => {
    if (lines === null) openFile(to);
    else openFile(to, ...lines);
  };
  const parts = [
    source === null
      ? nothing
      : html`<button
          class="link"
          title=${t('Go to step {0} (S)', source.step)}
          @click=${() => goToStep(source.entryIndex)}
        >
          ${t('Go to step {0}', source.step)}
        </button>`,
    goToText === undefined
      ? nothing
      : html`<button class="link" @click=${goToText}>${t('Show in transcript')}</button>`,
    path === null || isMissing
      ? nothing
      : html`<button class="link" @click=${() => open(path)}>${t('Open file')}</button>`,
    url !== null && path === null && linkTarget(url)?.kind === 'page'
      ? html`<button class="link" @click=${() => followPage(url)}>${t('Open link')}</button>`
      : nothing,
    renderLineFate(known),
  ];
  return parts.every((part) => part === nothing) && status === 'not_found'
    ? nothing
    : html`<div class="c-f">${parts}</div>`;
}

function renderLineFate({ since: became }: EvidenceCard): TemplateResult | typeof nothing {
  switch (became) {
    case 'same':
      return html`<span class="sp">${codicon('check', 'sm')}${t('unchanged since')}</span>`;
    case 'moved':
      return html`<span class="sp mod">${codicon('diff-renamed', 'sm')}${t('moved since')}</span>`;
    case 'changed':
      return html`<span class="sp mod">${codicon('diff-modified', 'sm')}${t('changed since')}</span>`;
    case 'gone':
      return html`<span class="sp mod">${codicon('diff-removed', 'sm')}${t('deleted since')}</span>`;
    case null:
      return nothing;
  }
}
