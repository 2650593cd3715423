import { baseName } from '../sources/pathNames.ts';

const longest = 4096;

const program = /^(?:"([^"]+)"|'([^']+)'|(\S+)) +(?=\S)/;

interface Shell {
  readonly name: RegExp;
  /** Between the shell and its command string. */
  readonly options: RegExp;
  /** Characters that a backslash escapes in double quotes. */
  readonly escaped: RegExp;
}

const shells: readonly Shell[] = [
  {
    name: /^(?:ba|z|da|k)?sh$/,
    options: /^(?:(?:-[abd-z]*o [a-z]+|-[abd-z]+|--[a-z]+) +)*-[a-z]*c +(?:-- +)?/,
    escaped: /\\(["\\$`])/g,
  },
  {
    name: /^(?:pwsh|powershell)$/i,
    options: /^(?:-\w+ +(?:[A-Z]\w* +)?)*?-c(?:ommand)? +/i,
    escaped: /[\\`](")/g,
  },
  { name: /^cmd$/i, options: /^(?:\/\w+ +)*?\/[ck] +/i, escaped: /\\(")/g },
];

/** A command without the shell that runs it, as written. */
export function unwrapCommand(command: string): string {
  const short = command.slice(0, longest).trim();
  const [start, double, single, plain] = program.exec(short) ?? [];
  if (start === undefined) return short;
  const name = baseName(double ?? single ?? plain ?? '').replace(/\.exe$/i, '');
  const shell = shells.find((candidate) => candidate.name.test(name));
  const rest = short.slice(start.length);
  const shellOptions = shell?.options.exec(rest)?.[0];
  return shell === undefined || shellOptions === undefined ? short : unquote(rest.slice(shellOptions.length), shell);
}

/** A quoted word and what follows it in the outer shell: `'npm test' && ls`. */
const first = /^(?:'((?:[^']|'(?=["\\]))*)'|"((?:[^"\\]|\\[^])*)")(?=\s*(?:[&|;>]|\d>))/;

/** The value of a quoted word; without quotes, the words are unchanged. */
function unquote(text: string, { escaped }: Shell): string {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return text;
  const [lead = '', single, double] = first.exec(text) ?? [];
  const isWhole = lead === '' && text.length > 1 && text.endsWith(quote);
  const inner = single ?? double ?? (isWhole ? text.slice(1, -1) : undefined);
  if (inner === undefined) return text;
  // Nested quotes, as programs write them.
  const plain = quote === '"' ? inner.replace(escaped, '$1') : inner.replace(/'(?:"'"|\\')'/g, "'");
  return isWhole ? plain : plain + text.slice(lead.length);
}
