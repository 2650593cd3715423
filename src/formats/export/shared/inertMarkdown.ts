/**
 * Markdown of an agent or a person that loads nothing, runs nothing and holds no element when it is drawn: `<`, the beginning
 * of an image and links but to pages and relative files are escaped everywhere but in code, where every reader of markdown agrees that it is code. Where that is not sure, all
 * of the rest is escaped. Line breaks become single characters. Linear in the text.
 */
export function inertMarkdown(text: string): string {
  const lines = new InertLines();
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => lines.next(line))
    .join('\n');
}

/** The same for plain text, on one line. */
export function inertLine(text: string): string {
  return escaped(text.replaceAll(/\s+/g, ' ').trim());
}

interface Fence {
  readonly indent: number;
  readonly marker: string;
}

class InertLines {
  #fence: Fence | undefined;
  /** Readers of markdown may differ on what is code from here on. */
  #unsure = false;
  /** Backticks of this paragraph that are not closed on their line may be on a later one. */
  #spansOpen = false;
  #afterBlank = true;

  next(line: string): string {
    const blank = /^[ \t]*$/.test(line);
    if (blank) this.#spansOpen = false;
    const inert = this.#unsure ? escaped(line) : this.#inert(line, blank);
    this.#afterBlank = blank;
    return inert;
  }

  #inert(line: string, blank: boolean): string {
    if (this.#fence !== undefined) return this.#inFence(line, blank, this.#fence);
    const [, indent = '', marker, info = ''] = /^( *)(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    const opens = marker !== undefined && !(marker.startsWith('`') && info.includes('`'));
    // A line that is far in may resume a paragraph.
    if (opens && (indent.length < 4 || this.#afterBlank)) {
      this.#fence = { indent: indent.length, marker };
      this.#spansOpen = false;
      return line.replaceAll('<', '&lt;');
    }
    if (/^[\s>*+\-\d.)]*(?:`{3,}|~{3,})/.test(line)) this.#unsure = true;
    return this.#unsure ? escaped(line) : this.#withSpans(line);
  }

  #inFence(line: string, blank: boolean, { indent, marker }: Fence): string {
    if (blank) return line;
    const own = /^[ \t]*/.exec(line)?.[0] ?? '';
    const end = line.trim();
    const mayClose = end.length >= marker.length && end === marker.charAt(0).repeat(end.length);
    if (mayClose && /^ *[`~]+[ \t]*$/.test(line) && own.length === indent) {
      this.#fence = undefined;
      return line;
    }
    // The code has ended here, or a list that it is in has, or neither.
    if (mayClose || own.length < indent) {
      this.#unsure = true;
      return escaped(line);
    }
    return line;
  }

  /** Code between backticks stays as it is where both stand on the line and nothing else can take part of it. */
  #withSpans(line: string): string {
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

/** How an address begins that names a page, a mailbox, a place of the document or a relative file. Nothing in it is encoded. */
const scheme = String.raw`(?:https?:\/\/|mailto:)`;
const relative = String.raw`(?:#|(?:\.{0,2}\/(?![\/\\&%]))?[\p{L}\p{N}_.~@+\-]{1,200}(?:(?=[\s)\/?#])|$|(?<=\.[\w\-]{1,20}):\d))`;
/** All of a link up to its end: a backtick in it would begin code for some readers and not for others. */
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
