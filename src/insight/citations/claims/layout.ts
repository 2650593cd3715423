import type { TextRange } from '../types.ts';

/** Inline code; `contentRange` is without its backticks. */
export interface CodeSpan {
  readonly range: TextRange;
  readonly contentRange: TextRange;
}

/** `[label](target)`. */
export interface Link {
  readonly range: TextRange;
  readonly target: string;
}

/** A code block that may contain shell lines. */
export interface ShellBlock {
  readonly start: number;
  /** Its lines without the fences. */
  readonly lines: readonly TextRange[];
}

export interface Layout {
  /** Same length as the text; code blocks are blank. */
  readonly prose: string;
  /** As `prose`, with marks of emphasis, code and quotation replaced by spaces. */
  readonly unmarkedProse: string;
  readonly spans: readonly CodeSpan[];
  readonly links: readonly Link[];
  readonly shells: readonly ShellBlock[];
}

const longestSpan = 2000;
const longestLabel = 300;
const longestTarget = 2000;
/** Nested brackets in a URL. */
const deepest = 8;

/** Marks of emphasis, code and quotation; an underscore inside a word belongs to it. */
const marks = /[`*~"“”„«»「」『』|]|(?<![\p{L}\d])_|_(?![\p{L}\d])/gu;

/** Blocks and lines beyond these limits are ignored. */
const maxBlocks = 1000;
const maxLines = 200;

/** Splits Markdown into prose, inline code, links, and code blocks of a shell. Linear in the text. */
export function layoutOf(text: string): Layout {
  const { prose, shells } = withoutBlocks(text);
  const spans = codeSpans(prose);
  return { prose, unmarkedProse: prose.replace(marks, ' '), spans, links: linksIn(prose), shells };
}

const fence = /^[ \t]{0,12}(`{3,}|~{3,})/;
const shellNames = /^(?:|bash|sh|shell|zsh|console|terminal|shell-session|shellsession|powershell|pwsh|ps1|cmd|bat)$/i;

function withoutBlocks(text: string): Pick<Layout, 'prose' | 'shells'> {
  const shells: { readonly start: number; readonly lines: TextRange[] }[] = [];
  if (!text.includes('```') && !text.includes('~~~')) return { prose: text, shells };
  let open: string | undefined;
  let shell: TextRange[] | undefined;
  let at = 0;
  const lines = text.split('\n').map((line) => {
    const start = at;
    at += line.length + 1;
    const found = fence.exec(line)?.[1];
    const rest = found === undefined ? '' : line.slice(line.indexOf(found) + found.length);
    if (open === undefined) {
      if (found === undefined || (found.startsWith('`') && rest.includes('`'))) return line;
      open = found;
      shell = shellNames.test(rest.trim()) && shells.length < maxBlocks ? [] : undefined;
      if (shell !== undefined) shells.push({ start, lines: shell });
    } else if (found !== undefined && found.startsWith(open) && line.trim() === found) open = undefined;
    else if (shell !== undefined && shell.length < maxLines) shell.push([start, start + line.length]);
    return ' '.repeat(line.length);
  });
  return { prose: lines.join('\n'), shells };
}

/** A span ends at the next run of equally many backticks. */
function codeSpans(text: string): CodeSpan[] {
  const runs: { readonly at: number; readonly length: number }[] = [];
  for (const run of text.matchAll(/`+/g)) runs.push({ at: run.index, length: run[0].length });
  // For each length, from the end: where the next run starts.
  const next = new Map<number, number>();
  const partner = new Int32Array(runs.length).fill(-1);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index];
    if (run === undefined) continue;
    partner[index] = next.get(run.length) ?? -1;
    next.set(run.length, index);
  }
  const spans: CodeSpan[] = [];
  for (let index = 0; index < runs.length; index += 1) {
    const run = runs[index];
    const end = runs[partner[index] ?? -1];
    if (run === undefined || end === undefined) continue;
    const contentRange: TextRange = [run.at + run.length, end.at];
    if (contentRange[1] - contentRange[0] > longestSpan || text.slice(...contentRange).includes('\n\n')) continue;
    spans.push({ range: [run.at, end.at + end.length], contentRange });
    index = partner[index] ?? index;
  }
  return spans;
}

function linksIn(text: string): Link[] {
  const links: Link[] = [];
  for (let at = text.indexOf(']('); at !== -1; at = text.indexOf('](', at + 2)) {
    const label = text.slice(Math.max(0, at - longestLabel), at);
    const open = label.lastIndexOf('[');
    if (open === -1 || label.includes('\n', open)) continue;
    const end = endOfTarget(text, at + 2);
    if (end === -1) continue;
    const inside = text.slice(at + 2, end).trim();
    const target = /^<([^<>]*)>/.exec(inside)?.[1] ?? inside.split(/\s/)[0] ?? '';
    links.push({ range: [at - label.length + open, end + 1], target });
  }
  return links;
}

/** Where the bracket that opened a link closes; brackets in its URL come in pairs. */
function endOfTarget(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < Math.min(text.length, from + longestTarget); at += 1) {
    const char = text[at];
    if (char === '\n' || depth > deepest) return -1;
    if (char === '(') depth += 1;
    else if (char === ')' && depth === 0) return at;
    else if (char === ')') depth -= 1;
  }
  return -1;
}
