import { baseName } from '../sources/pathNames.ts';
import { unwrapCommand } from './unwrapCommand.ts';

/** A program that runs its arguments as a command. */
interface Launcher {
  readonly words: readonly string[];
  /** Options that take a value. */
  readonly optionsWithValue: RegExp;
  /** Arguments before the command, such as a duration or a container. */
  readonly own: number;
}

const none = /^$/;
const launcher = (text: string, optionsWithValue = none, own = 0): Launcher => ({
  words: text.split(' '),
  optionsWithValue,
  own,
});
const containerPrefix =
  /^(?:-[efpuvw]|--(?:file|env|env-file|user|volume|workdir|name|network|entrypoint|platform|profile))$/;
const packagePrefix =
  /^(?:-[CFpw]|--(?:package|workspace|filter|dir|prefix|cwd|with|from|python|group|extra|project|directory|env-file|index))$/;

const launchers: readonly Launcher[] = [
  ...['nohup', 'command', 'exec', 'builtin', 'time', 'do', 'then', 'else', 'if', 'elif', 'while', 'until', '!'].map(
    (word) => launcher(word),
  ),
  ...['env', 'cross-env', 'dotenv', 'sudo', 'nice', 'ionice', 'stdbuf', 'xvfb-run'].map((word) =>
    launcher(word, /^-[ugnsce]$/),
  ),
  launcher('timeout', /^-[sk]$/, 1),
  launcher('gtimeout', /^-[sk]$/, 1),
  ...[
    'npx',
    'bunx',
    'uvx',
    'npm exec',
    'pnpm exec',
    'pnpm dlx',
    'yarn exec',
    'yarn dlx',
    'bun x',
    'uv run',
    'uv tool run',
  ].map((words) => launcher(words, packagePrefix)),
  ...['poetry run', 'pipenv run', 'pdm run', 'rye run', 'hatch run', 'pipx run', 'bundle exec', 'mise exec'].map(
    (words) => launcher(words, packagePrefix),
  ),
  launcher('conda run', /^(?:-[np]|--name|--prefix)$/),
  ...['docker', 'podman'].flatMap((name) => [
    launcher(`${name} compose exec`, containerPrefix, 1),
    launcher(`${name} compose run`, containerPrefix, 1),
    launcher(`${name} exec`, containerPrefix, 1),
    launcher(`${name} run`, containerPrefix, 1),
  ]),
  launcher('docker-compose exec', containerPrefix, 1),
  launcher('docker-compose run', containerPrefix, 1),
];
const launchersByName = new Map<string, Launcher[]>();
for (const launcher of launchers)
  launchersByName.set(launcher.words[0] ?? '', [...(launchersByName.get(launcher.words[0] ?? '') ?? []), launcher]);

export interface Word {
  readonly text: string;
  readonly at: number;
}

const word = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+|["'\\]/g;

/** The words of a command, with their quotes. */
export function wordsOf(command: string): Word[] {
  return Array.from(command.matchAll(word), ({ 0: text, index }) => ({ text, at: index }));
}

const assignment = /^[A-Za-z_]\w*=/;
/** Folders where projects keep programs. */
const ownFolder =
  /^(?:[^\s\\/]*[\\/]){0,20}(?:node_modules[\\/]\.bin|\.?v?env[\\/](?:bin|Scripts)|vendor[\\/]bin)[\\/](?=[^\\/\s]+(?:\s|$))/;

/** The command without its launchers: `CI=1 timeout 60 npx tsc -b` is `tsc -b`. */
export function launchedCommand(command: string, depth = 0): string {
  const words = wordsOf(command);
  let at = 0;
  for (let next: number | undefined = 0; next !== undefined; next = launchedIndex(words, at)) at = next;
  const from = words[at];
  if (from === undefined) return command;
  const rest = command.slice(from.at);
  const inner = unwrapCommand(rest);
  if (inner !== rest && depth < 2) return launchedCommand(inner, depth + 1);
  return rest.replace(ownFolder, '');
}

/** Where the command that these words run begins; `undefined` if they run none. */
function launchedIndex(words: readonly Word[], at: number): number | undefined {
  const text = words[at]?.text ?? '';
  let next: number | undefined;
  if (assignment.test(text)) next = at + 1;
  else if (isPython(text)) next = module(words, at + 1);
  else {
    for (const candidate of launchersByName.get(programName(text)) ?? [])
      next ??= findLaunchedCommand(words, at, candidate);
    const script = scriptAt(words, at);
    if (script !== undefined && tools.test(words[script]?.text ?? '')) next ??= script;
  }
  return next !== undefined && next < words.length ? next : undefined;
}

/** Programs of packages that script runners start by name. */
const tools =
  /^(?:tsc|vue-tsc|eslint|vitest|jest|mocha|ava|prettier|playwright|cypress|biome|vite|next|webpack|rollup|turbo|nx|stylelint|knip)$/;

/** Position of the script's name: `pnpm --filter web run test`, `yarn workspace web test`. */
export function scriptAt(words: readonly Word[], at: number): number | undefined {
  if (!/^(?:npm|pnpm|yarn|bun|deno|rushx?|lerna)$/.test(programName(words[at]?.text ?? ''))) return undefined;
  let next = skipOptions(words, at + 1, packagePrefix);
  for (const skipped of [/^workspaces?$/, /^(?:run|run-script|task)$/]) {
    const text = words[next]?.text ?? '';
    if (!skipped.test(text)) continue;
    next = skipOptions(
      words,
      next + (text === 'workspace' || words[next + 1]?.text === 'foreach' ? 2 : 1),
      packagePrefix,
    );
  }
  return next < words.length ? next : undefined;
}

function findLaunchedCommand(
  words: readonly Word[],
  at: number,
  { words: names, optionsWithValue, own }: Launcher,
): number | undefined {
  let next = at + 1;
  for (const name of names.slice(1)) {
    next = skipOptions(words, next, optionsWithValue);
    if (words[next]?.text !== name) return undefined;
    next += 1;
  }
  next = skipOptions(words, next, optionsWithValue) + own;
  return words[next]?.text === '--' ? next + 1 : next;
}

/** Where the options and their values end. */
export function skipOptions(words: readonly Word[], at: number, valued: RegExp): number {
  let next = at;
  for (let text = words[next]?.text ?? ''; /^-./.test(text) && text !== '--'; text = words[next]?.text ?? '')
    next += valued.test(text) ? 2 : 1;
  return next;
}

/** The name of a program without its folder: `.venv/bin/python3.exe` is `python3`. */
export function programName(text: string): string {
  return baseName(text.replace(/^["']|["']$/g, '')).replace(/\.(?:exe|cmd)$/i, '');
}

function isPython(text: string): boolean {
  return /^(?:python[\d.]*|py|pypy\d?)$/.test(programName(text));
}

function module(words: readonly Word[], at: number): number | undefined {
  let next = at;
  while (/^-(?:[XW]$|[^m])/.test(words[next]?.text ?? '')) next += /^-[XW]$/.test(words[next]?.text ?? '') ? 2 : 1;
  return words[next]?.text === '-m' ? next + 1 : undefined;
}
