import type { NumberedLink } from './sessionLinks.ts';
import type { ClaimVerdict, EvidenceLink } from './types.ts';

/** Texts of the footnotes, in the reader's language. */
export interface FootnoteWords {
  citedByAgent(what: string): string;
  found(what: string, step: string, verdict: ClaimVerdict | undefined): string;
  notFound(what: string): string;
}

/** The message as Markdown, with a footnote for every source. Numbers follow the cited words, never inside code. */
export function withFootnotes(content: string, links: readonly NumberedLink[], words: FootnoteWords): string {
  if (links.length === 0) return content;
  const marks = new Map<number, Set<number>>();
  const code = findCodeSpans(content);
  for (const { number, link } of links) {
    const at = outsideOfCode(code, link.range[1]);
    marks.set(at, (marks.get(at) ?? new Set()).add(number));
  }
  let text = '';
  let from = 0;
  for (const [at, numbers] of [...marks].sort(([a], [b]) => a - b)) {
    // After the closing line of a code block, which must be alone.
    const separator = /(?:^|\n) {0,3}(?:`{3,}|~{3,})$/.test(content.slice(Math.max(0, at - 200), at)) ? '\n\n' : '';
    text += content.slice(from, at) + separator + [...numbers].map((number) => `[^${number}]`).join('');
    from = at;
  }
  const notes = new Map<number, string>();
  for (const { number, link } of [...links].sort((a, b) => a.number - b.number))
    if (!notes.has(number)) notes.set(number, `[^${number}]: ${noteOf(link, words)}`);
  return `${text}${content.slice(from).trimEnd()}\n\n${[...notes.values()].join('\n')}\n`;
}

const codeSpan = /(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)|^ {0,3}~{3,}[^]*?^ {0,3}~{3,}$/gm;

/** Where code begins and ends, including its marks. */
function findCodeSpans(content: string): readonly (readonly [start: number, end: number])[] {
  return [...content.matchAll(codeSpan)].map(({ index, 0: { length } }) => [index, index + length]);
}

/** If a range ends inside code, the number follows the code. */
function outsideOfCode(code: ReturnType<typeof findCodeSpans>, at: number): number {
  return code.find(([start, end]) => start < at && at < end)?.[1] ?? at;
}

function noteOf(link: EvidenceLink, words: FootnoteWords): string {
  const { status, given, source } = link;
  if (status === 'given')
    return words.citedByAgent(
      lineOf([given?.title, given?.url].filter(Boolean).join(' ') || link.claim || (given?.description ?? '')),
    );
  const lines = link.lines === undefined ? '' : `:${link.lines.join('-')}`;
  const named = link.path === undefined ? (link.url ?? link.claim) : `${link.path}${lines}`;
  if (status === 'not_found' || source === undefined) return words.notFound(lineOf(named));
  const exit = source.exitCode === undefined ? '' : ` (exit ${source.exitCode})`;
  const what = source.path === undefined ? (source.url ?? source.command ?? named) : `${source.path}${lines}`;
  return words.found(`${lineOf(what)}${exit}`, source.step, link.judged?.verdict);
}

function lineOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 500);
}
