/**
 * A stretch of Markdown that a lexer can read in bounded time and memory. `plain`: it cannot, so show the text as it is.
 * `joined`: it continues the run before it, which was cut for its length.
 */
export interface MarkdownRun {
  readonly text: string;
  readonly plain: boolean;
  readonly joined: boolean;
}

/** Quotes and lists that may stand within each other. Lexers recurse into each. */
const maxNesting = 16;
/** Characters of a line, and of a paragraph, that are lexed at once: inline lexers take quadratic time in the worst case. */
const maxLine = 2048;
const maxParagraph = 4096;
/** Spaces before a marker that can be nested lists. */
const maxIndent = 4 * maxNesting;

/** What follows backticks on their line holds none, or it is code within a line. */
const fenceStart = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const marker = /^(?:>|[-*+](?=\s|$)|\d{1,9}[.)](?=\s|$))/;
const delimiterRow = /^[\s|:-]*-[\s|:-]*$/;

/**
 * Cuts Markdown into runs, in one pass. The runs add up to the text. Ordinary text is one run; what is nested too deep
 * or would make more table cells than it has characters is plain; long lines and paragraphs are cut.
 */
export function markdownRuns(text: string): readonly MarkdownRun[] {
  const runs = new Runs();
  let fence = '';
  for (const line of linesOf(text)) {
    const opening = fenceStart.exec(line)?.[1] ?? '';
    if (fence !== '') {
      runs.verbatim(line);
      if (opening.startsWith(fence) && line.trim() === opening) fence = '';
    } else if (opening !== '') {
      fence = opening;
      runs.verbatim(line);
    } else if (line.trim() === '') runs.blank(line);
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
  /** Blocks that are whole and need nothing special. */
  #settled: string[] = [];
  /** The paragraph that is being read; `rows` and `columns` of a table in it. */
  #paragraph: string[] = [];
  #length = 0;
  #columns = 0;
  #rows = 0;
  #isPlain = false;
  #isLong = false;

  verbatim(line: string): void {
    this.#endParagraph();
    this.#settled.push(line);
  }

  blank(line: string): void {
    this.verbatim(line);
  }

  line(line: string): void {
    this.#paragraph.push(line);
    this.#length += line.length;
    if (nestingOf(line) > maxNesting) this.#isPlain = true;
    if (line.length > maxLine) this.#isLong = true;
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
    const isLong = this.#isLong || (!isTable && this.#length > maxParagraph);
    if (this.#isPlain || isAmplified) {
      this.#flush();
      for (const [index, text] of cut(lines, maxParagraph).entries())
        this.#runs.push({ text, plain: true, joined: index > 0 });
    } else if (isLong) {
      this.#flush();
      for (const [index, text] of cut(lines, this.#isLong ? maxLine : maxParagraph).entries())
        this.#runs.push({ text, plain: false, joined: index > 0 });
    } else this.#settled.push(...lines);
    this.#paragraph = [];
    this.#length = 0;
    this.#columns = 0;
    this.#rows = 0;
    this.#isPlain = false;
    this.#isLong = false;
  }

  #flush(): void {
    if (this.#settled.length > 0) this.#runs.push({ text: this.#settled.join(''), plain: false, joined: false });
    this.#settled = [];
  }
}

/** How many quotes and list items a line begins. */
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

/** A table can stand in quotes and lists. */
function withoutMarkers(line: string): string {
  return line.replace(/^(?:\s*(?:>|[*+]\s|-\s+(?=\|)|\d{1,9}[.)]\s))*/, '');
}

/** Joins lines to pieces of at most `limit` characters; a longer line is cut, at a space where one is near the limit. */
function cut(lines: readonly string[], limit: number): readonly string[] {
  const pieces: string[] = [];
  let held = '';
  for (const line of lines) {
    if (held.length + line.length > limit && held !== '') {
      pieces.push(held);
      held = '';
    }
    let from = 0;
    while (line.length - from > limit) {
      const end = cutAt(line, from, limit);
      pieces.push(line.slice(from, end));
      from = end;
    }
    held += line.slice(from);
  }
  if (held !== '') pieces.push(held);
  return pieces;
}

function cutAt(line: string, from: number, limit: number): number {
  const end = from + limit;
  const space = line.lastIndexOf(' ', end - 1);
  if (space > end - limit / 8) return space + 1;
  // Never between the two halves of a character.
  const code = line.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}
