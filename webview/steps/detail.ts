import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { DiffLine } from '../../src/model/transcript/editPreview.ts';
import type { FileChange, ToolUse } from '../../src/model/transcript/tool.ts';
import type { PageEntry } from '../../src/protocol/panel/messages.ts';
import type { Actions } from '../actions.ts';
import { languageOf } from '../code/spans.ts';
import { button, codicon } from '../controls.ts';
import { t } from '../l10n.ts';
import { linkTarget } from '../markdown/targets.ts';
import { formatNumber } from '../text/format.ts';
import { relative } from '../text/paths.ts';
import { visibleTemplate } from '../text/shown.ts';
import { plain } from '../text/visible.ts';
import { diffLines, shownChanges } from './diff.ts';
import { terminal } from './terminal.ts';

export interface DetailContext {
  readonly entry: PageEntry;
  readonly tool: ToolUse;
  readonly projectDir: string | undefined;
  readonly actions: Actions;
  /** Whether to show all lines of a long diff. */
  readonly showsAllLines: boolean;
  /** Below everything else. */
  readonly footer?: TemplateResult;
}

const firstLines = 120;

/** Content of an open step: its input and result. */
export function stepDetail(context: DetailContext): TemplateResult {
  return html`${body(context)}${showAll(context)}${context.footer ?? nothing}`;
}

function body(context: DetailContext): TemplateResult | typeof nothing {
  const { tool } = context;
  const { action } = tool;
  switch (action.kind) {
    case 'command_run':
      return command(context, action);
    case 'file_edit':
      return html`${shownChanges(action.changes).map((change) => diff(context, change))}${failure(tool)}`;
    case 'file_write':
      return html`${fileHead(context, action.path, true)}${
        action.content === undefined ? nothing : renderText(action.content, languageOf(action.path))
      }${failure(tool)}`;
    case 'file_read':
      return html`${fileHead(context, action.path, false, action.startLine)}${result(tool, languageOf(action.path))}`;
    case 'web_fetch':
      return html`<div class="detail-h">${address(action.url)}</div>
        ${result(tool)}`;
    case 'web_search':
      return html`${action.results?.map(
        ({ url, title }) =>
          html`<div class="hitf">
            ${codicon('globe')}<span>${visibleTemplate(title ?? url)}</span>${address(url, 'dir')}
          </div>`,
      )}${action.results === undefined ? result(tool) : nothing}`;
    case 'search':
      return html`<div class="detail-h"><span class="mono">${visibleTemplate(action.query)}</span></div>
        ${result(tool)}`;
    case 'todo':
      return html`<ul class="todos">
          ${action.todos.map(
            ({ text: what, status }) =>
              html`<li data-s=${status}>
                ${codicon(todoIcons[status])}<span>${visibleTemplate(what)}</span
                ><span class="dim">${todoWord(status)}</span>
              </li>`,
          )}
        </ul>
        ${failure(tool)}`;
    case 'task':
      return html`${action.prompt === undefined ? nothing : section(t('Prompt'), renderText(action.prompt))}${
        tool.result === undefined ? nothing : section(t('Result'), result(tool))
      }`;
    case 'mcp':
    case 'tool':
      return html`${section(t('Input'), json(action.input ?? tool.input))}${
        tool.result === undefined ? nothing : section(t('Output'), result(tool))
      }`;
  }
}

const todoIcons = {
  pending: 'circle-large-outline',
  in_progress: 'play-circle',
  completed: 'pass',
  cancelled: 'circle-slash',
} as const;

function todoWord(status: keyof typeof todoIcons): string {
  switch (status) {
    case 'pending':
      return t('open');
    case 'in_progress':
      return t('in progress');
    case 'completed':
      return t('done');
    case 'cancelled':
      return t('cancelled');
  }
}

function command(
  { tool, actions }: DetailContext,
  action: Extract<ToolUse['action'], { kind: 'command_run' }>,
): TemplateResult {
  const output = [action.stdout, action.stderr].filter((part) => part !== undefined && part !== '').join('\n');
  const said = output === '' ? (tool.result?.text ?? '') : output;
  const about = [
    plain(action.cwd ?? ''),
    typeof action.exitCode === 'number' ? t('exit {0}', action.exitCode) : '',
    action.description === undefined ? '' : t('The agent’s description: “{0}”', plain(action.description)),
  ].filter((part) => part !== '');
  return html`<div class="detail-h">
      <span>${about.join(' · ')}</span>
      <span class="sp"
        >${button({ label: t('Copy command'), icon: 'copy', look: 'icon', onClick: () => actions.copy(action.command) })}</span
      >
    </div>
    <pre class="cmd" data-code="bash">${visibleTemplate(action.command)}</pre>
    ${
      said === ''
        ? html`<p class="none">${tool.result === undefined ? t('No output yet') : t('No output')}</p>`
        : html`<pre class="term" tabindex="0">${terminal(said)}</pre>`
    }`;
}

function diff(context: DetailContext, change: FileChange): TemplateResult {
  const lines = diffLines(change);
  const first = context.showsAllLines ? lines : lines.slice(0, firstLines);
  const numbered = change.patch !== undefined;
  const key = `d:${context.entry.index}`;
  return html`${fileHead(context, change.path, true)}
    <div class="diff mono" tabindex="0" role="group" aria-label=${t('Changes in {0}', plain(change.path))}>
      ${first.map((line) => diffLine(line, numbered))}
    </div>
    ${
      first.length < lines.length
        ? html`<div class="detail-f">
            <button class="link" @click=${() => context.actions.toggle(key)}>
              ${t('Show all {0} lines', formatNumber(lines.length))}
            </button>
          </div>`
        : nothing
    }`;
}

const signs = { add: '+', del: '−', same: '', gap: '' } as const;

export function diffLine({ kind, text: content, before, after }: DiffLine, numbered: boolean): TemplateResult {
  if (kind === 'gap') return html`<div class="dl gap"><span class="c">${t('unchanged lines')}</span></div>`;
  const numbers = numbered
    ? html`<span class="o" aria-hidden="true">${before}</span><span class="w" aria-hidden="true">${after}</span>`
    : nothing;
  return html`<div class="dl ${kind} ${numbered ? '' : 'plain'}">
    ${numbers}<span class="m">${signs[kind]}</span><span class="c">${visibleTemplate(content)}</span>
  </div>`;
}

function fileHead(
  { entry, projectDir, actions }: DetailContext,
  path: string,
  changed: boolean,
  line?: number,
): TemplateResult {
  const open = (): void => {
    if (line === undefined) actions.openFile(path);
    else actions.openFile(path, line);
  };
  return html`<div class="detail-h">
    <span title=${plain(path)}>${visibleTemplate(relative(path, projectDir))}</span>
    <span class="sp">
      ${button({ label: t('Open file'), icon: 'go-to-file', look: 'icon', onClick: open })}
      ${
        changed
          ? button({
              label: t('Open diff editor'),
              icon: 'diff-single',
              look: 'icon',
              onClick: () => actions.openDiff(entry.index),
            })
          : nothing
      }
      ${button({ label: t('Copy path'), icon: 'copy', look: 'icon', onClick: () => actions.copy(path) })}
    </span>
  </div>`;
}

function address(url: string, className = ''): TemplateResult {
  const target = linkTarget(url);
  return target?.kind === 'page'
    ? html`<a class=${className} role="link" tabindex="0" data-url=${target.url} title=${plain(url)}
        >${visibleTemplate(url)}</a
      >`
    : html`<span class=${className}>${visibleTemplate(url)}</span>`;
}

function section(title: string, content: TemplateResult | typeof nothing): TemplateResult {
  return html`<div class="detail-h">${title}</div>
    ${content}`;
}

/** Result of a failed call that has nothing else to show. */
function failure(tool: ToolUse): TemplateResult | typeof nothing {
  return tool.status === 'success' || tool.result === undefined ? nothing : result(tool);
}

function result({ result: came, status }: ToolUse, language?: string): TemplateResult | typeof nothing {
  if (came === undefined) {
    return status === 'running' || status === 'created' ? html`<p class="none">${t('No result yet')}</p>` : nothing;
  }
  if (came.text !== undefined) {
    return came.text === '' ? html`<p class="none">${t('Empty result')}</p>` : renderText(came.text, language);
  }
  return json(came.data);
}

function renderText(content: string, language?: string): TemplateResult {
  return html`<pre class="text" tabindex="0" data-code=${language ?? nothing}>${terminal(content)}</pre>`;
}

function json(value: unknown): TemplateResult {
  if (value === undefined) return html`<p class="none">${t('None')}</p>`;
  return html`<pre class="text" tabindex="0" data-code=${typeof value === 'string' ? nothing : 'json'}>
${visibleTemplate(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</pre>`;
}

/** Fetches what was cut. */
export function showAll({ entry, actions }: Pick<DetailContext, 'entry' | 'actions'>): TemplateResult | typeof nothing {
  if (entry.cut === undefined) return nothing;
  const longest = Math.max(...Object.values(entry.cut));
  return html`<div class="detail-f">
    <button class="link" @click=${() => actions.fetchCompleteEntry(entry.index)}>
      ${t('Show all {0} characters', formatNumber(longest))}
    </button>
  </div>`;
}
