/** One command of a shell line, and the operator before it. */
export interface ShellPart {
  readonly command: string;
  /** `;` also stands for a new line. */
  readonly separator: '' | '&&' | '||' | ';' | '|' | '&';
  /** The shell does not wait for it. */
  readonly isBackground?: true;
}

export function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The commands of a shell line, each on one line; split outside quotes. */
export function shellParts(line: string): ShellPart[] {
  const parts: ShellPart[] = [];
  let start = 0;
  let quote = '';
  let separator: ShellPart['separator'] = '';
  const delimiters: string[] = [];
  const addPart = (end: number, next: ShellPart['separator']): void => {
    const command = withoutBrackets(collapseSpaces(line.slice(start, end)));
    if (command === '') return;
    parts.push({ command, separator, ...(next === '&' && { isBackground: true as const }) });
    separator = next;
  };
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? '';
    if (char === '\\') at += 1;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else {
      delimiters.push(...hereDocumentDelimiters(line, at));
      const between = separatorAt(line, at);
      if (between === undefined) continue;
      addPart(at, between);
      if (between.length === 2) at += 1;
      // The content of a here-document is not a command.
      if (char === '\n') at = endOfHereDocuments(line, at, delimiters.splice(0));
      start = at + 1;
    }
  }
  addPart(line.length, ';');
  return parts;
}

/** Removes brackets of a subshell, but not those that the command opened itself. */
function withoutBrackets(text: string): string {
  let command = text.replace(/^[\s({]+/, '');
  const extraClosing = new Map([
    [')', command.split(')').length - command.split('(').length],
    ['}', command.split('}').length - command.split('{').length],
  ]);
  for (let last = command.at(-1) ?? ''; (extraClosing.get(last) ?? 0) > 0; last = command.at(-1) ?? '') {
    extraClosing.set(last, (extraClosing.get(last) ?? 0) - 1);
    command = command.slice(0, -1).trimEnd();
  }
  return command;
}

const hereDocumentStart = /<<-?\s*(["']?)([\w.-]{1,60})\1/y;

/** The delimiter of a here-document that begins here. */
function hereDocumentDelimiters(line: string, at: number): string[] {
  if (line[at] !== '<' || line[at - 1] === '<' || line[at + 2] === '<') return [];
  hereDocumentStart.lastIndex = at;
  const delimiter = hereDocumentStart.exec(line)?.[2];
  return delimiter === undefined ? [] : [delimiter];
}

/** The line break after the last of these delimiters, each alone on its line; the end if one is missing. */
function endOfHereDocuments(line: string, from: number, delimiters: readonly string[]): number {
  let at = from;
  for (const delimiter of delimiters) {
    const found = new RegExp(`\\n\\t*${delimiter.replaceAll('.', '\\.')}(?=\\n|$)`, 'g');
    found.lastIndex = at;
    const end = found.exec(line);
    if (end === null) return line.length;
    at = end.index + end[0].length;
  }
  return at;
}

function separatorAt(line: string, at: number): Exclude<ShellPart['separator'], ''> | undefined {
  const char = line[at];
  const next = line[at + 1];
  if (char === '\n' || char === ';') return ';';
  if (char === '|') return next === '|' ? '||' : '|';
  if (char !== '&') return undefined;
  if (next === '&') return '&&';
  // `2>&1` and `&>` redirect output.
  return next === '>' || line[at - 1] === '>' || line[at - 1] === '<' ? undefined : '&';
}

/** Prints nothing, and is never the purpose of a line. */
export function isIncidentalCommand(command: string): boolean {
  return /^(?:cd|set|export|source|\.|pushd|popd|mkdir|true|:|unset|umask|ulimit|sleep|[A-Z_][A-Z0-9_]*=\S*$)(?: |$)/.test(
    command,
  );
}

/**
 * Whether the exit code of a line proves that its meant commands succeeded (`success`) or failed (`failure`). It proves
 * nothing if another command after them decides it.
 */
export function assessExitCode(
  parts: readonly ShellPart[],
  isMeant: (command: string) => boolean,
): { readonly success: boolean; readonly failure: boolean } {
  const first = parts.findIndex(({ command }) => isMeant(command));
  const hasErrexit = parts.some(({ command }) => /^set -\w*e/.test(command));
  const hasPipefail = parts.some(({ command }) => /^set\b.*\bpipefail\b/.test(command));
  const isExitCodeHidden = parts[first]?.isBackground === true || /^!/.test(parts[first]?.command ?? '');
  const success =
    !isExitCodeHidden &&
    parts
      .slice(first + 1)
      .every(
        ({ separator }) =>
          separator === '&&' || (separator === ';' && hasErrexit) || (separator === '|' && hasPipefail),
      );
  const otherCommands = parts.filter(
    ({ command, separator }, at) => at !== first && separator !== '|' && !isIncidentalCommand(command),
  );
  return { success, failure: success && otherCommands.length === 0 };
}
