import { launchedCommand, programName, scriptAt, wordsOf, type Word } from './launchers.ts';
import { baseName } from '../sources/pathNames.ts';
import { collapseSpaces } from './shell.ts';
import { unwrapCommand } from './unwrapCommand.ts';

/** The purpose of a command, as far as its words show. */
export type ProgramKind = 'test' | 'build' | 'check';

/** The command without a wrapping shell, on one line. */
export function plainCommand(command: string): string {
  return collapseSpaces(unwrapCommand(command));
}

const kinds: readonly (readonly [ProgramKind, RegExp])[] = [
  [
    'test',
    /^(?:vitest|jest|mocha|ava|tap|tape|uvu|qunit|jasmine|cucumber(?:-js)?|behave|robot|prove|testcafe|nightwatch|codecept|wdio|c8|nyc|playwright test|cypress run|karma|wtr|pytest|py\.test|tox|nox|unittest|nose2?|rspec|minitest|phpunit|pest|ctest|gotestsum|(?:go|dotnet|swift|mix|rails|bazel|flutter|dart|stack|cabal|ng|hardhat|forge) test|cargo (?:test|t|nextest|miri test|llvm-cov)|make (?:\S+ )*(?:\S*[^a-z\s])?tests?(?:[^a-z\s]\S*)?|(?:node|tsx) (?:.* )?--test|(?:deno|bun) test|rake (?:test|spec)|sbt .*test|bats|zig (?:build )?test|(?:php )?artisan test|python[\d.]* \S*manage\.py test|manage\.py test|(?:just|task) \S*test\S*|xcodebuild (?:.* )?test)(?= |:|$)/,
  ],
  [
    'check',
    /^(?:tsc(?!.*(?: -b| --build))|vue-tsc|eslint|tslint|oxlint|prettier|biome|ruff|mypy|pyright|flake8|pylint|black|isort|clippy|cargo (?:clippy|check|fmt)|go vet|gofmt|golangci-lint|staticcheck|rubocop|stylelint|shellcheck|hadolint|markdownlint|knip|ktlint|detekt|swiftlint|phpstan|psalm|credo|mix format|deno (?:lint|check|fmt)|(?:ng|next) lint|make (?:\S+ )*(?:lint|check|fmt|format|types)|just (?:lint|check|fmt))(?= |:|$)/,
  ],
  [
    'build',
    /^(?:tsc|(?:vite|next|nuxt|nuxi|astro|ng|remix|gatsby|react-scripts|vue-cli-service) (?:.* )?(?:build|export|generate)|(?:webpack|rollup|esbuild|parcel|tsup|swc)(?: .*)?|cargo (?:build|b|rustc)|go (?:build|install)|make|dotnet (?:build|publish)|cmake|ninja|xcodebuild|swift build|docker(?: compose| buildx)? build|bazel build|zig build|mix compile|sbt .*compile|build|gcc|g\+\+|clang|javac|rustc|just build)(?= |:|$)/,
  ],
];

/** One command, not a line of several. */
export function programKind(part: string): ProgramKind | undefined {
  const bare = launchedCommand(part);
  if (/ --(?:version|help)(?: |$)/.test(bare)) return undefined;
  const words = wordsOf(bare);
  const name = programName(words[0]?.text ?? '');
  const script = scriptAt(words, 0);
  const own = script === undefined ? undefined : kindOfTask(words[script]?.text ?? '');
  if (own !== undefined) return own;
  if (/^(?:turbo|nx|lerna|rush|mvnw?|gradlew?)$/.test(name))
    return kindOfTasks(
      name,
      words.slice(1).map(({ text }) => text),
    );
  if (runsTests(words)) return 'test';
  const plain = [name, ...words.slice(1).map(({ text }) => text)].join(' ');
  const usual = plain.replace(/^((?:cargo|go|deno|dotnet) )(?:-C \S+ |[+-]\S+ )+/, '$1');
  return kinds.find(([, pattern]) => pattern.test(usual))?.[0];
}

const tasks: readonly (readonly [ProgramKind, RegExp])[] = [
  ['test', /^(?:t|tst|tests?|e2e|specs?|coverage|unit|integration|vitest|jest|mocha|playwright|cypress)$/],
  ['check', /^(?:lint(?:er|ing)?|types?|typecheck|check|format|fmt|tsc|knip|prettier|eslint|stylelint|biome)$/],
  ['build', /^(?:build|compile|bundle|package|dist)$/],
];

/** From the name of a script or target: its first word decides, then its last one: `test:unit`, `web:build`. */
function kindOfTask(task: string): ProgramKind | undefined {
  const words = task.split(/[:\-_.]/);
  for (const word of [words[0], words.at(-1)]) {
    const kind = tasks.find(([, pattern]) => pattern.test(word ?? ''))?.[0];
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/** For task runners: test tasks decide, because they also build. */
function kindOfTasks(tool: string, words: readonly string[]): ProgramKind | undefined {
  const isJvm = /^(?:mvn|gradle)/.test(tool);
  // `gradle build -x test` skips that task.
  const named = words
    .filter((word, at) => !word.startsWith('-') && words[at - 1] !== '-x')
    .concat(words.flatMap((word) => /^--targets?=(\S+)/.exec(word)?.[1]?.split(',') ?? []));
  const found = new Set(named.map((word) => (isJvm ? kindOfJvmTask(word) : kindOfTask(word))));
  return (['test', 'check', 'build'] as const).find((kind) => found.has(kind));
}

function kindOfJvmTask(task: string): ProgramKind | undefined {
  const name = task.slice(task.lastIndexOf(':') + 1);
  if (/^(?:compile|process)\w*|Classes$/.test(name)) return 'build';
  if (/^(?:test\w*|\w+Tests?\w*|verify|check|integration-test)$/.test(name)) return 'test';
  if (/^(?:ktlint|detekt|lint|spotless|checkstyle)\w*$/i.test(name)) return 'check';
  return /^(?:package|build\w*|assemble\w*|install|bundle\w*)$/.test(name) ? 'build' : undefined;
}

/** A script whose name says that it tests, or that runs a folder of tests. */
function runsTests(words: readonly Word[]): boolean {
  const [program, ...others] = words.map(({ text }) => text.replace(/^["']|["']$/g, ''));
  const runs = /^(?:python[\d.]*|py|node|tsx|ts-node|bun|deno|bash|sh|zsh|php|ruby|perl)$/.test(
    programName(program ?? ''),
  );
  const file = runs
    ? others.find((other) => !/^-|^run$/.test(other))
    : /[\\/]/.test(program ?? '')
      ? program
      : undefined;
  if (file === undefined || (runs && others[0] === '-n')) return false;
  const name = baseName(file);
  const isScript = !runs || /\.\w{1,4}$/.test(name);
  if (isScript && /^(?:[\w-]*[_.-])?(?:run-?)?tests?(?:[_.-][\w.-]*)?$/i.test(name)) return true;
  return /(?:^|[\\/])tests?[\\/]/.test(file) && /^(?:run|index|all|main|runner)\w*\.\w{1,4}$/.test(name);
}

/** Purposes of the parts of a command line. */
export function programKinds(parts: readonly { readonly command: string }[]): ReadonlySet<ProgramKind> {
  return new Set(parts.flatMap(({ command }) => programKind(command) ?? []));
}

/** Whether a command only shows existing texts: test results in them are not its own. */
export function printsForeignText(command: string): boolean {
  return viewers.test(programName(wordsOf(launchedCommand(command))[0]?.text ?? ''));
}

const viewers =
  /^(?:cat|bat|less|more|head|tail|nl|grep|egrep|rg|ag|ack|sed|awk|find|fd|ls|tree|echo|printf|diff|jq|wc|sort|git|gh|glab|hg|svn|curl|wget|http|journalctl|kubectl|docker|podman|type|get-content|gc|select-string|write-output|write-host|sqlite3|psql|tee)$/i;

/** Whether a command may change project files. Those that only show, test or check do not. */
export function mayWrite(command: string): boolean {
  const words = wordsOf(launchedCommand(command)).map(({ text }) => text);
  const name = programName(words[0] ?? '');
  if (
    /^(?:node|tsx|ts-node|python[\d.]*|ruby|perl|php|bash|sh|deno|bun|java|cp|mv|rm|touch|mkdir|tee|make|npm|pnpm|yarn|npx|dotnet|go|cargo|rails|composer|mix)$/.test(
      name,
    )
  )
    return programKind(command) === undefined && !/^-(?:-version|v|-help|c|e|p)$/.test(words[1] ?? '');
  return (
    !viewers.test(name) &&
    !looksLikeCommand(words.join(' ')) &&
    programKind(command) === undefined &&
    !/^(?:cd|export|set|source|\.|which|test|\[|true|false|stat|file|basename|dirname|realpath|pwd|sha\w*|md5\w*|xxd|hexdump|strings|cut|uniq|tr|column|less|time|wait|sleep)$/.test(
      name,
    )
  );
}

const programs =
  /^(?:npm|npx|pnpm|yarn|bun|bunx|deno|node|tsx|tsc|git|gh|hg|svn|python3?|pip3?|pipx|uv|poetry|pytest|ruff|mypy|cargo|rustc|rustup|go|make|cmake|ninja|gradlew?|mvnw?|java|javac|dotnet|ruby|bundle|rake|rails|rspec|php|composer|mix|swift|xcodebuild|docker|docker-compose|podman|kubectl|helm|terraform|aws|gcloud|az|curl|wget|ls|cat|grep|rg|find|sed|awk|head|tail|wc|sort|diff|cp|mv|rm|mkdir|touch|chmod|chown|ssh|scp|rsync|tar|zip|unzip|psql|mysql|sqlite3|redis-cli|systemctl|journalctl|apt|apt-get|brew|bash|sh|zsh|make|just|task|eslint|prettier|vitest|jest|mocha|code|echo|exit|sleep|kill|ps|du|df|env|export|which|tree|jq|bazel|zig|sbt|flutter|dart|ctest|playwright|vite|esbuild|webpack|rollup)$/;

/** Whether this looks like a shell command. */
export function looksLikeCommand(text: string): boolean {
  const [first = '', second] = text.replace(/^\$ /, '').split(/\s+/);
  const bare = first.replace(/^\.\//, '');
  if (second === undefined)
    return /^(?:make|pytest|tsc|eslint|vitest|jest|mocha|tox|nox|rspec|phpunit|ctest|ruff|mypy|just)$/.test(bare);
  return programs.test(bare) || /^\.{1,2}\//.test(first) || /^[A-Z_]+=\S* \S/.test(text);
}
