/** One command of a line of a shell, and what stands between it and the one before. */
export interface ShellPart {
  readonly command: string;
  /** `;` for a new line, too. */
  readonly joined: '' | '&&' | '||' | ';' | '|' | '&';
}

const longest = 4096;

/** A command without the shell that runs it, as it was written. */
export function unwrapped(command: string): string {
  const short = command.slice(0, longest).trim();
  const wrapped = /^(?:\S*[\\/])?(?:ba|z|da)?sh(?:\.exe)? -l?i?c (["'])([\s\S]*)\1$/.exec(short);
  const powershell = /^(?:\S*[\\/])?(?:pwsh|powershell)(?:\.exe)? (?:-\w+ )*-Command (["']?)([\s\S]*)\1$/i.exec(short);
  const inner = wrapped?.[2] ?? powershell?.[2] ?? short;
  return wrapped?.[1] === '"' ? inner.replaceAll('\\"', '"') : inner;
}

export function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The commands of a line of a shell, each on one line; cut outside of quotes. */
export function shellParts(line: string): ShellPart[] {
  const parts: ShellPart[] = [];
  let start = 0;
  let quote = '';
  let joined: ShellPart['joined'] = '';
  const cut = (end: number, next: ShellPart['joined']): void => {
    // Brackets of a subshell are no part of what it runs.
    const command = squeezed(
      line
        .slice(start, end)
        .replace(/^[\s({]+/, '')
        .replace(/[\s)}]+$/, ''),
    );
    if (command === '') return;
    parts.push({ command, joined });
    joined = next;
  };
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? '';
    if (char === '\\') at += 1;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else {
      const between = separatorAt(line, at);
      if (between === undefined) continue;
      cut(at, between);
      if (between.length === 2) at += 1;
      start = at + 1;
    }
  }
  cut(line.length, ';');
  return parts;
}

function separatorAt(line: string, at: number): Exclude<ShellPart['joined'], ''> | undefined {
  const char = line[at];
  const next = line[at + 1];
  if (char === '\n' || char === ';') return ';';
  if (char === '|') return next === '|' ? '||' : '|';
  if (char !== '&') return undefined;
  if (next === '&') return '&&';
  // `2>&1` and `&>` lead an output elsewhere.
  return next === '>' || line[at - 1] === '>' || line[at - 1] === '<' ? undefined : '&';
}

/** Prints nothing, and is not what a line is run for. */
export function isSilent(command: string): boolean {
  return /^(?:cd|set|export|source|\.|pushd|popd|mkdir|true|:|unset|umask|ulimit|sleep|[A-Z_][A-Z0-9_]*=\S*$)(?: |$)/.test(
    command,
  );
}

/**
 * What the exit code of a whole line tells of those of its commands that are `meant`: nothing, where another command after
 * them decides it.
 */
export function exitTells(
  parts: readonly ShellPart[],
  meant: (command: string) => boolean,
): { readonly success: boolean; readonly failure: boolean } {
  const first = parts.findIndex(({ command }) => meant(command));
  const strict = parts.some(({ command }) => /^set -\w*e/.test(command));
  const pipefail = parts.some(({ command }) => /^set\b.*\bpipefail\b/.test(command));
  const success = parts
    .slice(first + 1)
    .every(({ joined }) => joined === '&&' || (joined === ';' && strict) || (joined === '|' && pipefail));
  const others = parts.filter(({ command, joined }, at) => at !== first && joined !== '|' && !isSilent(command));
  return { success, failure: success && others.length === 0 };
}
