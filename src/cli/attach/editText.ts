import type { AgentRequest } from '../../model/agent/request.ts';
import type { DiffLine, EditPreview } from '../../model/transcript/editPreview.ts';
import { visibleLine } from '../../model/text/visibleText.ts';
import { counted } from '../print/counted.ts';

/** Maximum number of printed lines per file. */
const maxLines = 200;

/** Diff of a request's edits against current files; '' if the request edits none. */
export function editText(request: AgentRequest, previews: readonly EditPreview[]): string {
  return previews.map((preview) => [header(preview), ...editLines(preview, request)].join('\n')).join('\n');
}

const header = ({ path }: EditPreview): string => `  ${visibleLine(path, 'code')}`;

function editLines(preview: EditPreview, { asked_at: askedAt }: AgentRequest): string[] {
  if (preview.state !== 'placed') return [`    (${reasons[preview.state]})`];
  const { lines, places, all, file, changedAt } = preview;
  const width = Math.max(0, ...lines.map(({ before = 0, after = 0 }) => String(Math.max(before, after)).length));
  return [
    ...(file === 'edited' ? [] : [`    (${fileWords[file]})`]),
    ...(places === 1
      ? []
      : [
          all
            ? `    (replaces the text in all ${places} places)`
            : `    (the file has the text to replace in ${places} places; the first is shown)`,
        ]),
    ...(changedAt !== null && changedAt > Date.parse(askedAt) ? ['    (the file changed after the agent asked)'] : []),
    ...lines.slice(0, maxLines).map((line) => `    ${lineText(line, width)}`),
    ...(lines.length > maxLines ? [`    … ${counted(lines.length - maxLines, 'more line')}`] : []),
  ];
}

const signs = { same: ' ', add: '+', del: '-' } as const;

function lineText({ kind, text, before, after }: DiffLine, width: number): string {
  if (kind === 'gap') return `${' '.repeat(width)} …`;
  return `${String(after ?? before ?? '').padStart(width)} ${signs[kind]} ${visibleLine(text, 'code')}`;
}

const fileWords = {
  new: 'new file',
  replaced: 'replaces the whole file',
  deleted: 'deletes the file',
} as const;

const reasons: Readonly<Record<Exclude<EditPreview['state'], 'placed'>, string>> = {
  notFound: 'the current file does not contain the text to replace',
  missing: 'this file does not exist',
  outside: 'outside the session’s folder; not read',
  unreadable: 'could not be read as text',
  tooLarge: 'too large to show the change',
  long: 'too long to show the change',
  unplaced: 'the agent does not report where in the file the text belongs',
};
