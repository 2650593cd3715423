import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { AgentRequest } from '../../src/model/agent/request.ts';
import type { EditPreview } from '../../src/model/transcript/editPreview.ts';
import { codicon } from '../controls.ts';
import { t } from '../l10n.ts';
import { diffLine } from '../steps/detail.ts';
import { formatNumber, time } from '../text/format.ts';
import { relative } from '../text/paths.ts';
import { shownCode } from '../text/shown.ts';
import { plain } from '../text/visible.ts';

type PlacedPreview = Extract<EditPreview, { state: 'placed' }>;

/** The changed lines of a file with surrounding lines and line numbers. */
export function editInContext(
  preview: PlacedPreview,
  { request, projectDir }: { readonly request: AgentRequest; readonly projectDir: string | undefined },
): TemplateResult {
  const { path, lines } = preview;
  return html`<div class="ask-h">
      <span class="mono">${shownCode(relative(path, projectDir))}</span><span>${fileWords(preview)}</span>
    </div>
    ${previewNotes(preview, request)}
    <div class="diff mono" role="group" aria-label=${t('Changes in {0}', plain(path))}>
      ${lines.map((line) => diffLine(line, true))}
    </div>`;
}

function fileWords({ file }: PlacedPreview): string {
  switch (file) {
    case 'new':
      return t('new file');
    case 'replaced':
      return t('replaces the whole file');
    case 'deleted':
      return t('deletes the file');
    case 'edited':
      return '';
  }
}

/** Notes about the file for the user. */
export function previewNotes(preview: EditPreview, request: AgentRequest): TemplateResult | typeof nothing {
  const notes = notesOf(preview, request);
  if (notes.length === 0) return nothing;
  return html`${notes.map((note) => html`<p class="note" role="note">${codicon('info')}<span>${note}</span></p>`)}`;
}

function notesOf(preview: EditPreview, { asked_at: askedAt }: AgentRequest): string[] {
  switch (preview.state) {
    case 'placed': {
      const { places, all, changedAt } = preview;
      return [
        ...(places > 1
          ? [
              all
                ? t('Replaces all {0} occurrences of the text.', formatNumber(places))
                : t('The text to replace occurs {0} times in the file. The first is shown.', formatNumber(places)),
            ]
          : []),
        ...(changedAt !== null && changedAt > Date.parse(askedAt)
          ? [t('The file changed at {0}, after the agent asked.', time(new Date(changedAt).toISOString()))]
          : []),
      ];
    }
    case 'notFound':
      return [t('The current file does not contain the text to replace.')];
    case 'missing':
      return [t('This file no longer exists.')];
    case 'outside':
      return [t('This file is outside the session’s folder. Vitrine did not read it, so the context is not shown.')];
    case 'unreadable':
      return [t('Vitrine could not read this file as text, so the context is not shown.')];
    case 'tooLarge':
      return [t('This file is too large to show context.')];
    case 'long':
      return [t('This change is too long to show in context.')];
    case 'unplaced':
      return [t('The agent does not report where in the file the text belongs.')];
  }
}
