import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { AgentRequest } from '../../src/model/agent/request.ts';
import type { FileChange, ToolAction } from '../../src/model/transcript/tool.ts';
import { codicon } from '../controls.ts';
import { t } from '../l10n.ts';
import type { EditPreview } from '../../src/model/transcript/editPreview.ts';
import { diffLine } from '../steps/detail.ts';
import { diffLines, shownChanges } from '../steps/diff.ts';
import { formatNumber } from '../text/format.ts';
import { relative } from '../text/paths.ts';
import { visibleTemplate, shownCode, warnings } from '../text/shown.ts';
import { codeOf, quoted } from '../../src/protocol/panel/pageModel.ts';
import { plain } from '../text/visible.ts';
import type { PreviewedRequest } from './editPreviews.ts';
import { findUnshownInput } from './restOfInput.ts';

/**
 * Maximum lines of a change and characters of a text before a "Show all" button. Commands are always shown completely.
 */
const maxLines = 2000;
const maxChars = 200_000;

interface Subject {
  readonly request: AgentRequest;
  readonly projectDir: string | undefined;
  /** Show everything, however long. */
  readonly isExpanded: boolean;
  /** Preview in the current files; absent if they were not read. */
  readonly requestPreview?: PreviewedRequest | undefined;
}

/** Whether a part is hidden until the user asks for it. The request cannot be allowed before that. */
export function isLongSubject({ action }: AgentRequest): boolean {
  if (action?.kind === 'file_edit') return linesOf(action) > maxLines;
  return action?.kind === 'file_write' && (action.content ?? '').length > maxChars;
}

function linesOf({ changes }: Extract<ToolAction, { kind: 'file_edit' }>): number {
  return shownChanges(changes).reduce((sum, change) => sum + diffLines(change).length, 0);
}

/** Exactly what will run, be written or be sent, with invisible characters made visible. */
export function renderSubject(asked: Subject): TemplateResult {
  const { request } = asked;
  return html`${renderWarnings(request)} ${renderMain(asked)} ${otherInput(request)}`;
}

function renderWarnings(request: AgentRequest): TemplateResult {
  return html`${warnings(codeOf(request)).map(
    (sentence) => html`<p class="warn" role="note">${codicon('warning')}<span>${sentence}</span></p>`,
  )}`;
}

/** The rest of the input, which is not drawn elsewhere. */
export function otherInput(request: AgentRequest): TemplateResult | typeof nothing {
  const rest = findUnshownInput(request);
  if (rest === undefined) return nothing;
  const name = request.kind === 'permission' && isGeneric(request) ? t('Input') : t('Additional arguments');
  return html`<div class="ask-h">${name}</div>
    <pre class="mono">${visibleTemplate(json(rest), 'code')}</pre>`;
}

function isGeneric({ action }: AgentRequest): boolean {
  return action === undefined || action.kind === 'tool' || action.kind === 'mcp';
}

function renderMain(asked: Subject): TemplateResult | typeof nothing {
  const { request, projectDir, isExpanded } = asked;
  const { action } = request;
  const path = (of: string): TemplateResult =>
    html`<div class="ask-h mono">${shownCode(relative(of, projectDir))}</div>`;
  switch (action?.kind) {
    case 'command_run':
      return html`<pre class="mono">${shownCode(action.command)}</pre>`;
    case 'file_edit':
      return changes(action, asked);
    case 'file_write': {
      const { content } = action;
      if (content === undefined) return path(action.path);
      const preview = previewOf(asked, action.path);
      if (isPlaced(preview)) return asked.requestPreview?.drawing.editInContext(preview, asked) ?? nothing;
      return html`<div class="ask-h">
          <span class="mono">${shownCode(relative(action.path, projectDir))}</span><span>${t('the whole file')}</span>
        </div>
        ${preview === undefined ? nothing : asked.requestPreview?.drawing.previewNotes(preview, request)}
        <pre class="mono">${visibleTemplate(isExpanded ? content : content.slice(0, maxChars))}</pre>`;
    }
    case 'file_read':
      return path(action.path);
    case 'search':
      return html`<pre class="mono">${visibleTemplate(action.query, 'code')}</pre>
        ${action.path === undefined ? nothing : path(action.path)}`;
    case 'web_search':
      return html`<pre class="mono">${visibleTemplate(action.query, 'code')}</pre>`;
    case 'web_fetch':
      return html`<pre class="mono">${shownCode(action.url)}</pre>`;
    case 'task':
      return html`${agentType(action)}
        <pre>${visibleTemplate(action.prompt ?? action.description)}</pre>`;
    case 'todo':
      return html`<pre>${visibleTemplate(action.todos.map(({ text }) => text).join('\n'))}</pre>`;
    default:
      return request.input === undefined ? html`<pre>${visibleTemplate(quoted(request.title), 'code')}</pre>` : nothing;
  }
}

function agentType({ agentType: type }: Extract<ToolAction, { kind: 'task' }>): TemplateResult | typeof nothing {
  if (type === undefined) return nothing;
  return html`<div class="ask-h"><span class="mono">${shownCode(type)}</span><span>${t('Subagent')}</span></div>`;
}

function changes(action: Extract<ToolAction, { kind: 'file_edit' }>, asked: Subject): TemplateResult {
  const { request, projectDir, isExpanded } = asked;
  let left = isExpanded ? Infinity : maxLines;
  const drawn = new Set<string>();
  return html`${shownChanges(action.changes).map((change) => {
    const preview = previewOf(asked, change.path);
    const isFirst = !drawn.has(change.path);
    drawn.add(change.path);
    // One preview covers all changes to its file.
    if (isPlaced(preview)) return isFirst ? asked.requestPreview?.drawing.editInContext(preview, asked) : nothing;
    const lines = diffLines(change).slice(0, left);
    left -= lines.length;
    const numbered = change.patch !== undefined;
    return html`<div class="ask-h">
        <span class="mono">${shownCode(relative(change.path, projectDir))}</span><span>${kindOf(change)}</span>
      </div>
      ${preview === undefined || !isFirst ? nothing : asked.requestPreview?.drawing.previewNotes(preview, request)}
      <div class="diff mono" role="group" aria-label=${t('Changes in {0}', plain(change.path))}>
        ${lines.map((line) => diffLine(line, numbered))}
      </div>`;
  })}`;
}

/** No preview for a long change, which is drawn as the agent sent it. */
function previewOf({ request, requestPreview }: Subject, path: string): EditPreview | undefined {
  return isLongSubject(request) ? undefined : requestPreview?.previews.find((preview) => preview.path === path);
}

/** A change that affects only the end of the last line has no lines to show. */
function isPlaced(preview: EditPreview | undefined): preview is Extract<EditPreview, { state: 'placed' }> {
  return preview?.state === 'placed' && preview.lines.length > 0;
}

function kindOf({ kind }: FileChange): string {
  switch (kind) {
    case 'add':
      return t('new file');
    case 'delete':
      return t('deletes the file');
    case 'update':
      return '';
  }
}

/** Label of the button that shows everything, with the amount. */
export function lengthWords({ action }: AgentRequest): string {
  if (action?.kind === 'file_edit') return t('Show all {0} lines', formatNumber(linesOf(action)));
  const chars = action?.kind === 'file_write' ? (action.content ?? '').length : 0;
  return t('Show all {0} characters', formatNumber(chars));
}

function json(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
