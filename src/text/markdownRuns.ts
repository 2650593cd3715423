/**
 * A part of Markdown that a lexer can read in bounded time and memory. `isPlain`: it cannot, so show it as plain text.
 * `continuesPrevious`: continues the previous run, which was cut for its length.
 */
export interface MarkdownRun {
  readonly text: string;
  readonly isPlain: boolean;
  readonly continuesPrevious: boolean;
}

/** Maximum nesting of quotes and lists, for which lexers recurse. */
const maxNesting = 16;
/** Maximum characters of a line, and of a paragraph, that are lexed at once: inline lexers take quadratic time. */
const maxLineCharacters = 2048;
const maxParagraphCharacters = 4096;
/** Maximum delimiters of emphasis, code or links in a part: each may be compared with all others. */
const maxDelimiters = 256;
/** Spaces before a marker that can be nested lists. */
const maxIndent = 4 * maxNesting;

/** After the backticks of a fence, the line must not contain any; otherwise, it is inline code. */
const fenceStart = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const marker = /^(?:>|[-*+](?=\s|$)|\d{1,9}[.)](?=\s|$))/;
const delimiters: ReadonlySet<number> = new Set(Array.from('*_~`[]!<&', (character) => character.charCodeAt(0)));
const delimiterRow = /^[\s|:-]*-[\s|:-]*$/;

/**
 * Splits Markdown into runs, in one pass. Joined together, they are the text. Ordinary text is one run. Deep nesting,
 * or tables with more cells than characters, becomes plain text. Long lines and paragraphs are cut.
 */
export function markdownRuns(text: string): readonly MarkdownRun[] {
  const runs = new Runs();
  let fence = '';
  for (const line of linesOf(text)) {
    const opening = fenceStart.exec(line)?.[1] ?? '';
    if (fence !== '') {
      runs.addVerbatim(line);
      if (opening.startsWith(fence) && line.trim() === opening) fence = '';
    } else if (opening !== '') {
      fence = opening;
      runs.addVerbatim(line);
    } else if (line.trim() === '') runs.addBlankLine(line);
    else runs.line(line);
  }
  return runs.end();
}

/** Lines with their ends. */
function* linesOf(text: string): Generator<string> {
  let from = 0;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    const next = end === -1 ? text.length : end + 1;
    yield text.slice(from, next);
    from = next;
  }
}

class Runs {
  readonly #runs: MarkdownRun[] = [];
  /** Complete blocks without special treatment. */
  #plainLines: string[] = [];
  /** The current paragraph; `rows` and `columns` of a table in it. */
  #paragraph: string[] = [];
  #length = 0;
  #columns = 0;
  #rows = 0;
  #delimiters = 0;
  #isPlain = false;
  #isLong = false;

  addVerbatim(line: string): void {
    this.#endParagraph();
    this.#plainLines.push(line);
  }

  addBlankLine(line: string): void {
    this.addVerbatim(line);
  }

  line(line: string): void {
    this.#paragraph.push(line);
    this.#length += line.length;
    this.#delimiters += delimitersOf(line);
    if (nestingOf(line) > maxNesting) this.#isPlain = true;
    if (line.length > maxLineCharacters) this.#isLong = true;
    if (this.#columns > 0) this.#rows += 1;
    else if (line.includes('|') && delimiterRow.test(withoutMarkers(line))) this.#columns = line.split('|').length;
  }

  end(): readonly MarkdownRun[] {
    this.#endParagraph();
    this.#flush();
    return this.#runs;
  }

  #endParagraph(): void {
    const lines = this.#paragraph;
    if (lines.length === 0) return;
    const isTable = this.#columns > 0;
    const isAmplified = isTable && this.#columns * this.#rows > this.#length;
    const isDense = this.#delimiters > maxDelimiters;
    const isLong = this.#isLong || (!isTable && (isDense || this.#length > maxParagraphCharacters));
    if (this.#isPlain || isAmplified) {
      this.#flush();
      for (const [index, text] of splitLongLines(lines, maxParagraphCharacters).entries())
        this.#runs.push({ text, isPlain: true, continuesPrevious: index > 0 });
    } else if (isLong) {
      this.#flush();
      for (const [index, text] of splitLongLines(
        lines,
        this.#isLong ? maxLineCharacters : maxParagraphCharacters,
      ).entries())
        this.#runs.push({ text, isPlain: false, continuesPrevious: index > 0 });
    } else this.#plainLines.push(...lines);
    this.#paragraph = [];
    this.#length = 0;
    this.#columns = 0;
    this.#rows = 0;
    this.#delimiters = 0;
    this.#isPlain = false;
    this.#isLong = false;
  }

  #flush(): void {
    if (this.#plainLines.length > 0)
      this.#runs.push({ text: this.#plainLines.join(''), isPlain: false, continuesPrevious: false });
    this.#plainLines = [];
  }
}

/** Number of quotes and list items that a line opens. */
function nestingOf(line: string): number {
  let depth = 0;
  let at = 0;
  while (depth <= maxNesting) {
    const start = at;
    while (line[at] === ' ' || line[at] === '\t') at += 1;
    const found = marker.exec(line.slice(at, at + 12))?.[0];
    if (found === undefined) return depth;
    if (at - start > maxIndent) return maxNesting + 1;
    depth += 1;
    at += found.length;
  }
  return depth;
}

/** A table can be inside quotes and lists. */
function withoutMarkers(line: string): string {
  return line.replace(/^(?:\s*(?:>|[*+]\s|-\s+(?=\|)|\d{1,9}[.)]\s))*/, '');
}

function delimitersOf(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (delimiters.has(text.charCodeAt(at))) count += 1;
  return count;
}

/**
 * Joins lines into pieces of at most `limit` characters and `maxDelimiters` delimiters. A longer line is cut, at a
 * space if there is one near the limit.
 */
function splitLongLines(lines: readonly string[], limit: number): readonly string[] {
  const pieces: string[] = [];
  let pending = '';
  let dense = 0;
  for (const line of lines) {
    const delimiterCount = delimitersOf(line);
    if ((pending.length + line.length > limit || dense + delimiterCount > maxDelimiters) && pending !== '') {
      pieces.push(pending);
      pending = '';
      dense = 0;
    }
    let from = 0;
    for (;;) {
      const most = lengthOf(line, from, limit);
      if (line.length - from <= most) break;
      const end = findCut(line, from, most);
      pieces.push(line.slice(from, end));
      from = end;
    }
    pending += line.slice(from);
    dense += from === 0 ? delimiterCount : delimitersOf(line.slice(from));
  }
  if (pending !== '') pieces.push(pending);
  return pieces;
}

/** Length of the next piece: at most `limit` characters and `maxDelimiters` delimiters. */
function lengthOf(line: string, from: number, limit: number): number {
  let remaining = maxDelimiters;
  const end = Math.min(line.length, from + limit);
  for (let at = from; at < end; at += 1) {
    if (delimiters.has(line.charCodeAt(at))) remaining -= 1;
    if (remaining < 0) return at - from;
  }
  return limit;
}

function findCut(line: string, from: number, limit: number): number {
  const end = from + limit;
  const space = line.lastIndexOf(' ', end - 1);
  if (space > end - limit / 8) return space + 1;
  // Never between two surrogates.
  const code = line.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}
