import { launchedCommand, programName, scriptAt, wordsOf } from './launchers.ts';
import { shellParts, type ShellPart } from './shell.ts';

/** Shell keywords and commands without effect: no one refers to them. */
const noCommand = /^(?:done|fi|else|then|do|esac|true|false|break|continue|:|;;|#.*)(?: (?:\d?[<>]|#).*)?$/;

/** Forms in which a shell line is recognized: the whole line, each of its commands, and each command without wrappers. */
export function commandForms(line: string, parts: readonly ShellPart[]): string[] {
  const commands = parts.map(({ command }) => command);
  const forms = new Set([line, ...commands, ...commands.map(normalizeCommand)]);
  if (parts.length > 1) forms.add(normalizeLine(parts));
  return [...forms].filter((form) => form !== '' && !noCommand.test(form));
}

/**
 * A line reduced to what it runs: without variables, launchers, redirections and filters at the end. `CI=1 npx eslint src
 * 2>&1 | tail -20` is `eslint src`.
 */
export function withoutWrappers(line: string): string {
  return normalizeLine(shellParts(line));
}

function normalizeLine(parts: readonly ShellPart[]): string {
  const shown = parts.filter(({ command, separator }) => separator !== '|' || !pager.test(command));
  return shown
    .map(({ command, separator }) => `${separator === '' ? '' : ` ${separator} `}${normalizeCommand(command)}`)
    .join('')
    .trim();
}

const pager = /^(?:tail|head|cat|tee|less|more)(?: |$)/;
const redirection = /^[\d&]?>/;

function normalizeCommand(command: string): string {
  const words = wordsOf(launchedCommand(command));
  const script = scriptAt(words, 0);
  const saved = words.flatMap(({ text }, at) => {
    if (redirection.test(text) || /^[\d&]?>{1,2}$/.test(words[at - 1]?.text ?? '')) return [];
    // `npm run test` is `npm test`.
    return script !== undefined && at < script && /^run(?:-script)?$/.test(text)
      ? []
      : [at === 0 ? normalizeProgram(text) : text];
  });
  return saved.join(' ');
}

/** `python3.12` is `python`. */
function normalizeProgram(text: string): string {
  return /^(?:python[\d.]*|py)$/.test(programName(text)) ? 'python' : text;
}
