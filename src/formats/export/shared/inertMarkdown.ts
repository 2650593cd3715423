/**
 * Sanitizes Markdown so that rendering it loads and runs nothing and creates no HTML elements. Escapes `<`, images, and
 * links other than web pages and relative files, except in code that all renderers recognize as code. In case of doubt,
 * escapes the rest. Line breaks become single characters. Takes linear time.
 */
export function inertMarkdown(text: string): string {
  const lines = new InertLines();
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => lines.next(line))
    .join('\n');
}

/** Escapes plain text and puts it on one line. */
export function inertLine(text: string): string {
  return escaped(text.replaceAll(/\s+/g, ' ').trim());
}

interface Fence {
  readonly indent: number;
  readonly marker: string;
}

class InertLines {
  #fence: Fence | undefined;
  /** From here on, renderers may disagree on what is code. */
  #isAmbiguous = false;
  /** Unclosed backticks of this paragraph may be closed on a later line. */
  #spansOpen = false;
  #isAfterBlank = true;

  next(line: string): string {
    const blank = /^[ \t]*$/.test(line);
    if (blank) this.#spansOpen = false;
    const inert = this.#isAmbiguous ? escaped(line) : this.#escapeLine(line, blank);
    this.#isAfterBlank = blank;
    return inert;
  }

  #escapeLine(line: string, blank: boolean): string {
    if (this.#fence !== undefined) return this.#readFenceLine(line, blank, this.#fence);
    const [, indent = '', marker, info = ''] = /^( *)(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    const opens = marker !== undefined && !(marker.startsWith('`') && info.includes('`'));
    // A deeply indented line may continue a paragraph.
    if (opens && (indent.length < 4 || this.#isAfterBlank)) {
      this.#fence = { indent: indent.length, marker };
      this.#spansOpen = false;
      return line.replaceAll('<', '&lt;');
    }
    if (/^[\s>*+\-\d.)]*(?:`{3,}|~{3,})/.test(line)) this.#isAmbiguous = true;
    return this.#isAmbiguous ? escaped(line) : this.#escapeKeepingSpans(line);
  }

  #readFenceLine(line: string, blank: boolean, { indent, marker }: Fence): string {
    if (blank) return line;
    const own = /^[ \t]*/.exec(line)?.[0] ?? '';
    const end = line.trim();
    const mayClose = end.length >= marker.length && end === marker.charAt(0).repeat(end.length);
    if (mayClose && /^ *[`~]+[ \t]*$/.test(line) && own.length === indent) {
      this.#fence = undefined;
      return line;
    }
    // Either the code ends here, or a list around it, or neither.
    if (mayClose || own.length < indent) {
      this.#isAmbiguous = true;
      return escaped(line);
    }
    return line;
  }

  /** Keeps code spans that open and close on this line, if no other syntax can interfere. */
  #escapeKeepingSpans(line: string): string {
    if (this.#spansOpen || /[|\\]/.test(line)) {
      if (line.includes('`')) this.#spansOpen = true;
      return escaped(line);
    }
    const runs = [...line.matchAll(/`+/g)];
    let inert = '';
    let from = 0;
    for (let at = 0; at < runs.length; at += 1) {
      const start = runs[at]?.index ?? 0;
      const length = runs[at]?.[0].length;
      do at += 1;
      while (at < runs.length && runs[at]?.[0].length !== length);
      const closing = runs[at];
      if (closing === undefined) {
        this.#spansOpen = true;
        break;
      }
      const end = closing.index + closing[0].length;
      inert += escaped(line.slice(from, start)) + line.slice(start, end);
      from = end;
    }
    return inert + escaped(line.slice(from));
  }
}

/** Start of an allowed address: web page, mail address, anchor or relative file, without percent-encoding. */
const scheme = String.raw`(?:https?:\/\/|mailto:)`;
const relative = String.raw`(?:#|(?:\.{0,2}\/(?![\/\\&%]))?[\p{L}\p{N}_.~@+\-]{1,200}(?:(?=[\s)\/?#])|$|(?<=\.[\w\-]{1,20}):\d))`;
/** A complete link. A backtick in it would start code in some renderers only. */
const safeLink = new RegExp(
  String.raw`^\([ \t]{0,9}(?:${scheme}|${relative})(?:[^\s\x60()<>\\\[\]]|\([^\s\x60()<>\\\[\]]{0,200}\)){0,2000}(?:[ \t]{1,9}"[^"\x60\\\[\]]{0,500}")?\)`,
  'u',
);
const safeDefinition = new RegExp(String.raw`^:[ \t]{1,9}(?:${scheme}|${relative})`, 'u');

function escaped(text: string): string {
  return text
    .replaceAll(/\](?=[(:])/g, (bracket, at: number) => {
      const rest = text.slice(at + 1, at + 4000);
      const isSafe = rest.startsWith('(') ? safeLink.test(rest) : safeDefinition.test(rest);
      return isSafe ? bracket : `${bracket}\\`;
    })
    .replaceAll('![', String.raw`!\[`)
    .replaceAll('<', '&lt;');
}
