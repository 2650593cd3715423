import { launched, programName, scriptAt, wordsOf } from './launchers.ts';
import { shellParts, type ShellPart } from './shell.ts';

/** Words of a shell's grammar, and what does nothing: no one means them by naming a command. */
const noCommand = /^(?:done|fi|else|then|do|esac|true|false|break|continue|:|;;|#.*)(?: (?:\d?[<>]|#).*)?$/;

/** What a line of a shell is known by: as a whole, each of its commands, and each without what surrounds what it runs. */
export function commandForms(line: string, parts: readonly ShellPart[]): string[] {
  const commands = parts.map(({ command }) => command);
  const forms = new Set([line, ...commands, ...commands.map(bareCommand)]);
  if (parts.length > 1) forms.add(bareLine(parts));
  return [...forms].filter((form) => form !== '' && !noCommand.test(form));
}

/**
 * A line as what it runs: without variables, programs that run others, redirections, and what only shows the end of an
 * output. `CI=1 npx eslint src 2>&1 | tail -20` is `eslint src`.
 */
export function withoutWrappers(line: string): string {
  return bareLine(shellParts(line));
}

function bareLine(parts: readonly ShellPart[]): string {
  const shown = parts.filter(({ command, joined }) => joined !== '|' || !pager.test(command));
  return shown
    .map(({ command, joined }) => `${joined === '' ? '' : ` ${joined} `}${bareCommand(command)}`)
    .join('')
    .trim();
}

const pager = /^(?:tail|head|cat|tee|less|more)(?: |$)/;
const redirection = /^[\d&]?>/;

function bareCommand(command: string): string {
  const words = wordsOf(launched(command));
  const script = scriptAt(words, 0);
  const saved = words.flatMap(({ text }, at) => {
    if (redirection.test(text) || /^[\d&]?>{1,2}$/.test(words[at - 1]?.text ?? '')) return [];
    // `npm run test` is `npm test`.
    return script !== undefined && at < script && /^run(?:-script)?$/.test(text)
      ? []
      : [at === 0 ? bareProgram(text) : text];
  });
  return saved.join(' ');
}

/** `python3.12` is `python`. */
function bareProgram(text: string): string {
  return /^(?:python[\d.]*|py)$/.test(programName(text)) ? 'python' : text;
}
