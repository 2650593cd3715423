import { launchedCommand, programName, scriptAt, wordsOf } from '../commands/launchers.ts';
import type { ProgramKind } from '../commands/programs.ts';
import type { ShellPart } from '../commands/shell.ts';
import { normalPath } from '../sources/pathNames.ts';

/** Which part of the project a command tests, builds or checks. */
export interface RunScope {
  /** One package, file, filter or script variant: it says nothing about the rest. */
  readonly isPart: boolean;
  /** The limits, in lower case. */
  readonly names: readonly string[];
  /** All packages of a workspace, each by its name. */
  readonly isRecursive: boolean;
}

/** Options with which programs list, explain or prepare, without running anything. */
const idle =
  /^(?:--list(?:-?tests?|-?files)?|--listTests|--collect-only|--co|--dry-?run|--help|--version|--show-?config|--print-config|--no-run|--setup-(?:plan|only)|--show-only|--gtest_list_tests|--fixtures|--markers|--list-tags|--init|--clear-?cache|--just-print|--listFilesOnly|--dry_run|--list-suites|--list-groups|--env-info|--graph|-DskipTests(?:=true)?|-Dmaven\.test\.skip(?:=true)?|--passWithNoTests=only)$/;
/** Such options if they are the only word; with other words, they mean something else. */
const idleOnlyAlone = /^-[Vh]$/;
const versionAlone =
  /^(?:jest|mocha|tsc|eslint|prettier|webpack|cypress|playwright|stylelint|rollup|esbuild|node|npm) -v$/;
const idleWords: readonly (readonly [program: RegExp, words: RegExp])[] = [
  [
    /^(?:vitest|cargo|nextest|playwright|cypress)$/,
    /^(?:list|--list|open|install|install-deps|show-report|verify|cache)$/,
  ],
  [/^(?:jest|vitest|playwright|npm|pnpm|yarn)$/, /^(?:init|help)$/],
  [/^make$/, /^(?:-n|--question|-q)$/],
  [/^ctest$/, /^(?:-N|-V?N)$/],
  [/^go$/, /^-(?:list|n)(?:=.*)?$/],
  [/^mvnw?$/, /^-Dtest=NONE$/],
  [/^gradlew?$/, /^(?:-m|tasks)$/],
  [/^(?:turbo|nx)$/, /^(?:--dry(?:=\S+)?|graph)$/],
];

/** Whether a command only lists or explains what it would run. */
export function isListingOnly(command: string, kind: ProgramKind): boolean {
  if (/^(?:command -[vV]|which|type|where|hash) /.test(command.trim())) return true;
  const words = wordsOf(launchedCommand(command)).map(({ text }) => text.replace(/^(["'])(.*)\1$/, '$2'));
  const [program = '', ...others] = words;
  const name = programName(program);
  if (others.length === 1 && (idleOnlyAlone.test(others[0] ?? '') || versionAlone.test(`${name} ${others[0] ?? ''}`)))
    return true;
  const isIdle = (word: string): boolean => (kind === 'test' || !word.startsWith('-D')) && idle.test(word);
  if (others.some(isIdle)) return true;
  return idleWords.some(([programs, idleWord]) => programs.test(name) && others.some((word) => idleWord.test(word)));
}

/** Options with which a run succeeds even if there was nothing to run. */
export function allowsNoTests(command: string): boolean {
  return /\s--(?:pass-?with-?no-?tests|if-present|allow-no-tests|no-tests[= ](?:pass|warn)|suppress-no-test-exit-code|permit-no-files|no-error-on-unmatched-pattern)\b/i.test(
    command,
  );
}

/** Options whose value, in the same word or the next, limits a run to what it names. */
const limits =
  /^(?:-w|--workspace|--filter|-F|--scope|-p|--package|--projects?|-pl|--test|--bin|--example|--bench|-t|--testNamePattern|--test-name-pattern|--testPathPatterns?|-k|-m|--grep|-g|-f|--fgrep|-run|--run|--tests|--only|-e|-n|--name|--spec|-R|-L|--tests-regex|--label-regex|--gtest_filter|--tags|-Dtest|--shard|--testsuite|--group|--name-pattern|--match|--plain-name|--suite|--include|-i|--treenodefilter|--case|--prefix|-C|--dir|--cwd|--directory|--target|--file|--since|--rootdir)$/;
/** Options with another meaning in some programs. */
const otherMeaning: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^(?:pytest|py\.test)$/, /^-(?:n|p|e|C|t|w|i|f|F|g|R)$|^--(?:run|include|rootdir)$/],
  [/^(?:vitest|npm|pnpm|yarn|bun|jest)$/, /^--run$|^-(?:i|e|n|f|g|m|k|R)$|^--(?:file|target)$/],
  [/^(?:tsc|vue-tsc)$/, /^-(?:w|t|m|i)$|^--target$/],
  [/^mocha$/, /^-(?:t|R|C|p|w|n|e|i|r)$|^--(?:file)$/],
  [/^make$/, /^-(?:f|k|i|n|w|e|p)$|^--(?:file)$/],
  [/^(?:go)$/, /^-(?:p|n|f|e|m|tags|i)$|^--?tags$/],
  [
    /^(?:ruff|eslint|mypy|prettier|pyright|black|flake8|biome|golangci-lint)$/,
    /^-(?:p|e|n|f|m|i|t|w|g|k|C|R)$|^--(?:config|target|include|project|file)$/,
  ],
  [/^(?:cargo)$/, /^-(?:F|Z|C|n|e|m|k|t|w|g)$|^--(?:target|name)$/],
  [/^(?:webpack|vite|rollup|esbuild|tsup|next|swc|docker|cmake|ninja|gcc|g\+\+|clang|javac|rustc)$/, /.*/],
  [/^(?:mvnw?|gradlew?)$/, /^-(?:e|f|t|C|m|i|k|n|w|g|p)$|^--(?:file|scan|tag)$/],
  [/^(?:node|tsx|deno|python[\w.]*|ruby|php|bash|sh)$/, /^-(?:r|e|p|m|i|C|n|t|w|f|g|R|k)$|^--(?:import|target|test)$/],
  [/^ctest$/, /^-(?:C|e|p|n|t|w|k|m|g|f|i)$/],
  [/^(?:dotnet)$/, /^-(?:f|p|t|n|m|e|g|i|k|w|R|C)$/],
  [/^nx$/, /^-(?:t|p|c)$|^--(?:targets?|parallel|configuration|exclude)$/],
  [/^(?:bats|prove|behave|robot|phpunit|minitest|tox|nox|rake|swift|bazel|gotestsum|ava|xcodebuild)$/, /^-[a-zA-Z]$/],
  [/^(?:rspec)$/, /^-(?:f|p|n|w|i|I|r|c|C|R|m|k)$/],
];
/** Options that limit a run to what changed or failed. */
const limiting =
  /^(?:--changed(?:Since)?|--only-?[cC]hanged|-o|--affected|--lf|--last-failed|--ff|--only-failures|--next-failure|--stale|--failed|--findRelatedTests|--rerun-failed|--lib|--bins|--doc|--testmon|--pf|affected|related)$/;
/** Options whose next word is not a file to run. */
const valued =
  /^(?:-(?:c|r|o|j|n|R|x|P|D|W|s|I|l|T|d)|--(?:config|reporter|require|import|loader|outputFile|coverageDirectory|timeout|max-?workers|workers|jobs|format|color|output|ext|tsconfig|max-warnings|env|environment|seed|durations|tb|maxfail|junitxml|cov|ignore|ignore-pattern|deselect|parser|cache-location|browser|browsers|profile|features|logger|verbosity|retries|pool|threads|concurrency|log-level|cache-dir|target-dir|manifest-path|configuration|settings|report|cov-report|test-reporter|test-concurrency|repeat|count|rule|plugin|target-version|select|line-length|loglevel|parallel|build|test-dir|dist|asyncio-mode|override-ini|capture))$/;
const suiteFolder =
  /^(?:\.|\.{1,2}\/?|(?:\.\/)?(?:__)?(?:tests?|specs?|src|lib|app|t|source|packages|cmd|internal|pkg|bin|scripts|server|client|test-d)(?:__)?\/?(?:\.\.\.)?|\.\/\.\.\.|\.\.\.|\/\/\.\.\.|all|\/\/\.\.\.:all)$/i;
const configFile =
  /(?:^|[./\\_-])(?:config|conf|tsconfig|jest|vitest|mocharc|pom|build|settings|package)\b[\w.-]*\.(?:[cm]?[jt]s|json|ya?ml|toml|ini|xml|gradle|kts|cfg)$/i;
/** Script variants that run as much as the script itself. */
const wholeVariant =
  /^(?:all|ci|cov(?:erage)?|run|once|full|prod(?:uction)?|release|debug|dev|watch|no-?watch|silent|verbose|node|check|types?|strict|fix|only|local|main|quiet|js|ts|code|app|force|fast|parallel|py|python|test|tests|lint|build)$/i;

/** `folder`: working folder of the command, relative to the session's; empty for the same. */
export function scopeOf(command: string, kind: ProgramKind, folder: string): RunScope {
  const bare = launchedCommand(command);
  const words = wordsOf(bare).map(({ text }) => text.replace(/^(["'])([^]*)\1$/, '$2'));
  const name = programName(words[0] ?? '');
  const names: string[] = isMember(folder) ? [folder] : [];
  const part = { isLimited: false };
  const limit = (...values: readonly string[]): void => {
    part.isLimited = true;
    names.push(...values);
  };
  const runsOther = otherFolder(command);
  if (runsOther !== undefined) limit(runsOther);
  const script = scriptAt(wordsOf(bare), 0);
  const first = script ?? subcommandIndex(name, words);
  if (script !== undefined) variantOf(words[script] ?? '', limit);
  if (/^(?:make|just|task|rake)$/.test(name)) for (const word of words.slice(1)) variantOf(word, limit);
  const ignored = otherMeaning.find(([program]) => program.test(name))?.[1];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, option = word, value] = /^(-{1,2}[\w.-]+)=([^]*)$/.exec(word) ?? [];
    if (/^[\d&]?>{1,2}$|^<$/.test(word)) at += 1;
    if (/^[\d&]?[<>]/.test(word) || (word === '.' && name === 'make')) continue;
    if (option.startsWith('-')) {
      if (limiting.test(option) && ignored?.test(option) !== true) limit();
      else if (limits.test(option) && ignored?.test(option) !== true) {
        const optionValue = value ?? words[at + 1] ?? '';
        if (value === undefined) at += 1;
        if (optionValue !== '' && !isEverything(option, optionValue)) limit(optionValue);
      } else if (
        value === undefined &&
        (valued.test(option) || ignored?.test(option) === true) &&
        !/^-/.test(words[at + 1] ?? '-') &&
        !isFile(words[at + 1] ?? '')
      )
        at += 1;
    } else if (at > first) argument(word, name, kind, script !== undefined, limit);
    else if (limiting.test(word)) limit();
  }
  return {
    isPart: part.isLimited || isMember(folder),
    names: names.map((testName) => testName.toLowerCase()),
    isRecursive: recursive.test(bare),
  };
}

const recursive =
  /^(?:turbo|lerna|rush)\b|\bnx run-many\b|\bpnpm (?:-r|--recursive)\b|--workspaces\b|--workspace(?: |$)|\byarn workspaces\b|--all\b|\.\/\.\.\.|\/\/\.\.\.|^(?:mvn|gradle|sbt|dotnet|bazel)/;

/** The package in which a launcher runs a command. */
function otherFolder(command: string): string | undefined {
  const found =
    /(?:^|\s)(?:--filter|-F|-w|--workspace|--prefix|-C|--dir|--cwd|--directory|yarn workspace)(?:=|\s+)(["']?)([\w@./{}*!-]+)\1/.exec(
      /^(?:\S+=\S+ )*(?:npm|pnpm|yarn|npx|bun|uv|poetry|make)\b[^]*?(?= -- |$)/.exec(command)?.[0] ?? '',
    )?.[2];
  return found === undefined || /^(?:\.|\*|\.\/packages\/\*|\{?\*+\}?)$/.test(found) ? undefined : found;
}

/** Folders that can exist several times in one repository. */
function isMember(folder: string): boolean {
  return /(?:^|\/)(?:packages|apps|libs|crates|services|modules|plugins|projects|components|examples)\/[^/]+/.test(
    folder,
  );
}

/** Whether a claim is about one package of several. */
export function isSubproject(subject: string): boolean {
  return isMember(subject) || subject.startsWith('@');
}

/** `test:unit` is a part of `test`, `test:ci` is not. */
function variantOf(script: string, limit: (...names: string[]) => void): void {
  const words = script.split(/[:._-]/).filter((word) => word !== '');
  for (const word of words)
    if (
      !wholeVariant.test(word) &&
      !/^(?:compile|bundle|package|dist|typecheck|format|fmt|tsc|eslint|prettier|vitest|jest|mocha|run|do|npm|verify)$/i.test(
        word,
      ) &&
      words.length > 1
    )
      limit(word);
}

const oneTestFile = /(?:^|[\\/])(?!(?:run|all)[_.-])(?:test[_-]\w+|[\w.-]+[_.-](?:test|spec))\.\w+$/i;
const interpreters = /^(?:node|tsx|ts-node|python[\d.]*|py|ruby|php|bash|sh|zsh|perl)$/;

/** Index of the last subcommand before the arguments of a program; 0 or less: it has none. */
function subcommandIndex(name: string, words: readonly string[]): number {
  if (name === 'cargo' && words[1] === 'nextest') return 2;
  if (interpreters.test(name)) {
    const at = words.findIndex((word, place) => place > 0 && !word.startsWith('-'));
    // `ruby test/user_test.rb` runs one file, `python run_tests.py` all of them.
    if (oneTestFile.test(words[at] ?? '')) return 0;
    return words.includes('--test') || at === -1 ? 0 : Math.max(at, words.indexOf('test'));
  }
  if (
    /^(?:cargo|go|dotnet|deno|bun|swift|mix|rails|bazel|flutter|dart|playwright|cypress|ng|next|zig|turbo|nx|ruff|biome|stack|cabal|forge|golangci-lint|npm|pnpm|yarn|make|just|task|rake|vite|docker|xcodebuild|cmake|ninja|php|lerna|tox|nox)$/.test(
      name,
    )
  )
    return words.findIndex((word, at) => at > 0 && !word.startsWith('-'));
  return /^(?:vitest|jest)$/.test(name) && /^(?:run|watch|dev)$/.test(words[1] ?? '') ? 1 : 0;
}

function argument(
  word: string,
  name: string,
  kind: ProgramKind,
  isScript: boolean,
  limit: (...names: string[]) => void,
): void {
  if (/^(?:--?|\||&|;|\\|\{|\}|\(|\))$/.test(word) || /^[A-Z_]+=/.test(word)) return;
  if (
    /^(?:mvnw?|sbt|tox|nox|make|just|task|ng|next|vite|docker|cmake|ninja|xcodebuild|webpack|rollup|esbuild|tsup|zig|php)$/.test(
      name,
    )
  ) {
    if (/^(?:testOnly|testQuick|["']testOnly)/.test(word)) limit(word);
    return;
  }
  if (/^(?:gradlew?)$/.test(name)) {
    const module = /^:?([\w:-]+):[\w]+$/.exec(word)?.[1];
    if (module !== undefined) limit(module);
    return;
  }
  if (name === 'unittest' && word.includes('.')) limit(word);
  // Without the dots, it is one package.
  if (name === 'go' && /^\.\/\w/.test(word) && !word.endsWith('...')) limit(word);
  if (name === 'nx') {
    if (!/^(?:run|test|lint|build|run-many|run-many:.*)$/.test(word)) limit(word);
    return;
  }
  if (/^(?:turbo|lerna|rush)$/.test(name)) return;
  if (suiteFolder.test(word) || configFile.test(word) || /[*?{]/.test(word)) {
    if (
      /\*/.test(word) &&
      /(?:^|\/)(?!\*|tests?\b|specs?\b|src\b|__tests__|dist\b|out\b|build\b|lib\b)[\w-]+\/[^*]*\*/.test(
        word.replace(/^\.\//, ''),
      )
    )
      limit(word);
    return;
  }
  if (isFile(word) || /::|#/.test(word)) limit(word);
  else if (/[\\/]/.test(word)) {
    if (!/^\.?\/?[\w-]+\/?$/.test(word)) limit(word);
  } else if (kind === 'test' && (/^(?:vitest|jest|cargo|bun|ava|nextest|mix|playwright)$/.test(name) || isScript))
    limit(word);
}

function isFile(word: string): boolean {
  return (
    /[^\s.\\/]\.[a-z]{1,5}(?::\d+)*$/i.test(word) &&
    !configFile.test(word) &&
    !/\.(?:csproj|sln|slnx|xml|json|toml|log|txt)$/.test(word)
  );
}

function isEverything(option: string, value: string): boolean {
  return (
    /^(?:\.|\*|\.\/|\.\/\.\.\.|\.\*|all|1\/1)$/.test(value) ||
    (/^(?:--projects?|-p)$/.test(option) &&
      /(?:^|\/)tsconfig[\w.]*\.json$/.test(value) &&
      !/\//.test(value.replace(/^\.\//, '')))
  );
}

/** Working folder of each command of a line, relative to the session's; empty for the same. */
export function foldersOf(parts: readonly ShellPart[], cwd: string | undefined, workDir: string): string[] {
  let folder = cwd === undefined ? '' : folderInProject(normalPath(cwd, workDir));
  return parts.map(({ command }) => {
    const target = /^(?:cd|pushd) (?:-- )?(["']?)(\S+)\1$/.exec(command)?.[2];
    if (target !== undefined) folder = changedFolder(folder, target, workDir);
    return folder;
  });
}

function changedFolder(folder: string, target: string, workDir: string): string {
  if (/[$~`]/.test(target) || target === '-') return '';
  const plain = normalPath(target, workDir).replace(/\/+$/, '');
  if (/^(?:\/|[A-Za-z]:)/.test(plain)) return folderInProject(plain === workDir.replace(/\/+$/, '') ? '' : plain);
  if (/^(?:\/|[A-Za-z]:)/.test(target)) return plain;
  const steps = folder === '' ? [] : folder.split('/');
  for (const step of plain.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '.' && step !== '') steps.push(step);
  }
  return steps.join('/');
}

/** A folder outside the session's counts as the same: recordings were made in other places. */
function folderInProject(folder: string): string {
  if (!/^(?:\/|[A-Za-z]:)/.test(folder)) return folder === '.' ? '' : folder;
  return /(?:^|\/)((?:packages|apps|libs|crates|services|modules|plugins|projects)\/[^/]+.*)$/.exec(folder)?.[1] ?? '';
}
