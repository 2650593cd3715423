/** Kinds of code tokens; styles/transcript/code.css has a color for each. */
export const codeGroups = ['keyword', 'type', 'name', 'string', 'number', 'comment', 'added', 'removed'] as const;
export type CodeGroup = (typeof codeGroups)[number];

/** Start and end (exclusive), in UTF-16 units. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly group: CodeGroup;
}

/** Maximum characters per text: about 500 lines, which take a few milliseconds. */
const maxCharacters = 20_000;

const numbered = /^ {0,10}\d{1,7}(?:→|\t|\| ?)/;

interface Plain {
  readonly text: string;
  /** For each line: its start in `text`, and the length of its removed prefix. */
  readonly lines: readonly { readonly at: number; readonly skipped: number }[];
}

/** The text without the line numbers that an agent added, up to the limit. */
export function toPlain(original: string): Plain {
  const cut =
    original.length <= maxCharacters ? original : original.slice(0, original.lastIndexOf('\n', maxCharacters) + 1);
  if (!numbered.test(cut)) return { text: cut, lines: [{ at: 0, skipped: 0 }] };
  const lines: { at: number; skipped: number }[] = [];
  const saved: string[] = [];
  let [at, skipped] = [0, 0];
  for (const line of cut.split('\n')) {
    const prefix = numbered.exec(line)?.[0].length ?? 0;
    skipped += prefix;
    lines.push({ at, skipped });
    const rest = line.slice(prefix);
    saved.push(rest);
    at += rest.length + 1;
  }
  return { text: saved.join('\n'), lines };
}

/** Maps spans of the plain text to the original; a multi-line span becomes one per line. */
export function placeSpans(spans: readonly Span[], { lines }: Plain): Span[] {
  const [only] = lines;
  if (lines.length === 1 && only?.skipped === 0) return [...spans];
  const placed: Span[] = [];
  let line = 0;
  for (const { from, to, group } of spans) {
    while ((lines[line + 1]?.at ?? Infinity) <= from) line += 1;
    for (let [at, begin] = [line, from]; begin < to; at += 1) {
      const end = Math.min(to, lines[at + 1]?.at ?? Infinity);
      const skipped = lines[at]?.skipped ?? 0;
      placed.push({ from: begin + skipped, to: end + skipped, group });
      begin = end;
    }
  }
  return placed;
}

/** File names of a language, if the extension does not name it. */
const endings: Readonly<Record<string, string>> = {
  h: 'c',
  hpp: 'cpp',
  htm: 'xml',
  svg: 'xml',
  vue: 'xml',
  svelte: 'xml',
  toml: 'ini',
  cfg: 'ini',
  conf: 'ini',
  editorconfig: 'ini',
  ps1: 'powershell',
  psm1: 'powershell',
  mk: 'makefile',
  patch: 'diff',
};

/** The language of a file by its name; empty if unknown. */
export function languageOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();
  if (name === 'dockerfile' || name === 'makefile') return name;
  const dot = name.lastIndexOf('.');
  if (dot < 0) return '';
  const ending = name.slice(dot + 1);
  return Object.hasOwn(endings, ending) ? (endings[ending] ?? '') : ending;
}
