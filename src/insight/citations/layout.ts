import type { TextRange } from './types.ts';

/** A stretch of code in a line: `inner` is without its back-ticks. */
export interface CodeSpan {
  readonly range: TextRange;
  readonly inner: TextRange;
}

/** `[label](target)`. */
export interface Link {
  readonly range: TextRange;
  readonly target: string;
}

export interface Layout {
  /** As long as the text: code blocks are blank. */
  readonly prose: string;
  /** The same, and marks of emphasis, code and quotation are spaces. */
  readonly flat: string;
  readonly spans: readonly CodeSpan[];
  readonly links: readonly Link[];
}

const longestSpan = 2000;
const longestLabel = 300;
const longestTarget = 2000;

/** What of a markdown text is prose, code in a line, or a link; code blocks are left out. Linear in the text. */
export function layoutOf(text: string): Layout {
  const prose = withoutBlocks(text);
  const spans = codeSpans(prose);
  return { prose, flat: prose.replace(/[`*_~"“”„«»「」『』|]/g, ' '), spans, links: linksIn(prose) };
}

const fence = /^[ \t]{0,12}(`{3,}|~{3,})/;

function withoutBlocks(text: string): string {
  if (!text.includes('```') && !text.includes('~~~')) return text;
  let open: string | undefined;
  return text
    .split('\n')
    .map((line) => {
      const found = fence.exec(line)?.[1];
      if (open === undefined) {
        if (
          found === undefined ||
          (found.startsWith('`') && line.indexOf('`', line.indexOf(found) + found.length) > 0)
        ) {
          return line;
        }
        open = found;
      } else if (found !== undefined && found.startsWith(open) && line.trim() === found) {
        open = undefined;
      }
      return ' '.repeat(line.length);
    })
    .join('\n');
}

/** A span ends at the next run of as many back-ticks. */
function codeSpans(text: string): CodeSpan[] {
  const runs: { readonly at: number; readonly length: number }[] = [];
  for (const run of text.matchAll(/`+/g)) runs.push({ at: run.index, length: run[0].length });
  // From the end: where the next run of each length is.
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
    const inner: TextRange = [run.at + run.length, end.at];
    if (inner[1] - inner[0] > longestSpan || text.slice(...inner).includes('\n\n')) continue;
    spans.push({ range: [run.at, end.at + end.length], inner });
    index = partner[index] ?? index;
  }
  return spans;
}

function linksIn(text: string): Link[] {
  const links: Link[] = [];
  for (let at = text.indexOf(']('); at !== -1; at = text.indexOf('](', at + 2)) {
    const label = text.slice(Math.max(0, at - longestLabel), at);
    const open = label.lastIndexOf('[');
    const rest = text.slice(at + 2, at + 2 + longestTarget);
    const end = rest.search(/[)\n]/);
    if (open === -1 || label.includes('\n', open) || end === -1 || rest[end] === '\n') continue;
    const target = rest.slice(0, end).trim().split(/\s/)[0] ?? '';
    links.push({ range: [at - label.length + open, at + 2 + end + 1], target: target.replace(/^<|>$/g, '') });
  }
  return links;
}
