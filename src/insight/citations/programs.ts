import { squeezed, unwrapped } from './shell.ts';

/** What a command is for, as far as its words tell. */
export type ProgramKind = 'test' | 'build' | 'check';

/** The command without the shell that runs it, on one line. */
export function plainCommand(command: string): string {
  return squeezed(unwrapped(command));
}

const wrappers =
  /^(?:(?:[A-Z_][A-Z0-9_]*=\S* )|sudo |time |timeout (?:-\S+ )*\d\S* |nice (?:-n ?\d+ )?|env |command |exec |do |then |! |npx (?:--?\S+ )*|bunx |pnpm (?:exec|dlx) |yarn (?:dlx )?(?=(?:tsc|eslint|vitest|jest|mocha|prettier|playwright)\b)|uv run |poetry run |pipenv run |hatch run |bundle exec |xvfb-run (?:-a )?|python3? -m |\.\/node_modules\/\.bin\/|node_modules\/\.bin\/|\.\/|vendor\/bin\/)+/;

const script = String.raw`(?:npm|pnpm|yarn|bun|deno task)(?: (?:-\S+|--\S+ \S+))*(?: run(?:-script)?)? (?:-\S+ )*`;

const kinds: readonly (readonly [ProgramKind, RegExp])[] = [
  [
    'test',
    new RegExp(
      String.raw`^(?:${script}(?:t|tst|test)(?:[:\-_.]\S+)?(?= |$)|(?:${script})?(?:e2e|spec|coverage)(?= |$)|vitest|jest|mocha|ava|tap|c8|nyc|playwright test|cypress run|karma|wtr|pytest|py\.test|tox|nox|unittest|nose2?|rspec|minitest|phpunit|pest|ctest|go test|gotestsum|cargo (?:\+\S+ )?(?:test|nextest|miri test|t)(?= |$)|dotnet test|(?:mvnw?|gradlew?) .*(?:test|verify|check)|make (?:\S+ )*\S*test|node (?:.* )?--test|tsx .*--test|deno test|bun test|swift test|mix test|rake (?:test|spec)|rails test|bazel test|sbt .*test|bats|flutter test|dart test|zig (?:build )?test|stack test|cabal test|manage\.py test|just test|task test|nx .*test|turbo .*test)(?= |:|$)`,
    ),
  ],
  [
    'check',
    new RegExp(
      String.raw`^(?:${script}(?:lint|types?|type-?check|check|format|fmt|tsc|knip|prettier)(?:[:\-_.]\S+)?(?= |$)|tsc(?!.*(?: -b| --build))|vue-tsc|eslint|tslint|prettier|biome|ruff|mypy|pyright|flake8|pylint|black|isort|clippy|cargo (?:\+\S+ )?(?:clippy|check|fmt)|go vet|gofmt|golangci-lint|staticcheck|rubocop|stylelint|shellcheck|hadolint|markdownlint|knip|ktlint|detekt|swiftlint|phpstan|psalm|credo|mix format|make (?:lint|check|fmt|format|types)|just (?:lint|check|fmt))(?= |:|$)`,
    ),
  ],
  [
    'build',
    new RegExp(
      String.raw`^(?:${script}(?:build|compile|bundle|package|dist)(?:[:\-_.]\S+)?(?= |$)|tsc|(?:vite|next|nuxt|astro|ng|remix|webpack|rollup|esbuild|parcel|turbo|nx|tsup|swc|gatsby)(?: .*)?|cargo (?:\+\S+ )?(?:build|b|rustc)|go (?:build|install)|make(?: (?:all|build|-j\S*))*|(?:mvnw?|gradlew?) .*(?:package|build|assemble|install|compile)|dotnet (?:build|publish)|cmake|ninja|xcodebuild|swift build|docker(?: compose| buildx)? build|bazel build|zig build|mix compile|sbt .*compile|python3? -m build|build(?= )|gcc|g\+\+|clang|javac|rustc|just build)(?= |:|$)`,
    ),
  ],
];

/** One command, not a line of several. */
export function programKind(part: string): ProgramKind | undefined {
  const bare = part.replace(wrappers, '');
  if (/ --(?:version|help)(?: |$)/.test(bare)) return undefined;
  return kinds.find(([, pattern]) => pattern.test(bare))?.[0];
}

/** What the parts of a command line are for. */
export function programKinds(parts: readonly { readonly command: string }[]): ReadonlySet<ProgramKind> {
  return new Set(parts.flatMap(({ command }) => programKind(command) ?? []));
}

const programs =
  /^(?:npm|npx|pnpm|yarn|bun|bunx|deno|node|tsx|tsc|git|gh|hg|svn|python3?|pip3?|pipx|uv|poetry|pytest|ruff|mypy|cargo|rustc|rustup|go|make|cmake|ninja|gradlew?|mvnw?|java|javac|dotnet|ruby|bundle|rake|rails|rspec|php|composer|mix|swift|xcodebuild|docker|docker-compose|podman|kubectl|helm|terraform|aws|gcloud|az|curl|wget|ls|cat|grep|rg|find|sed|awk|head|tail|wc|sort|diff|cp|mv|rm|mkdir|touch|chmod|chown|ssh|scp|rsync|tar|zip|unzip|psql|mysql|sqlite3|redis-cli|systemctl|journalctl|apt|apt-get|brew|bash|sh|zsh|make|just|task|eslint|prettier|vitest|jest|mocha|code|echo|exit|sleep|kill|ps|du|df|env|export|which|tree|jq|bazel|zig|sbt|flutter|dart|ctest|playwright|vite|esbuild|webpack|rollup)$/;

/** Whether somebody would type this in a shell. */
export function looksLikeCommand(text: string): boolean {
  const [first = '', second] = text.replace(/^\$ /, '').split(/\s+/);
  const bare = first.replace(/^\.\//, '');
  if (second === undefined)
    return /^(?:make|pytest|tsc|eslint|vitest|jest|mocha|tox|nox|rspec|phpunit|ctest|ruff|mypy|just)$/.test(bare);
  return programs.test(bare) || /^\.{1,2}\//.test(first) || /^[A-Z_]+=\S* \S/.test(text);
}
