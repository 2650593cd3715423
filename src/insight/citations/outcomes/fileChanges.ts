import type { ToolUse } from '../../../model/transcript/tool.ts';
import { launchedCommand, programName, wordsOf } from '../commands/launchers.ts';
import type { ShellPart } from '../commands/shell.ts';
import { normalPath } from '../sources/pathNames.ts';

/** A file that a step changed; `null` if only the command is known. `isText`: notes and manuals. */
export interface FileTouched {
  readonly path: string | null;
  readonly isText: boolean;
}

const texts =
  /(?:\.(?:md|mdx|markdown|txt|rst|adoc|log|out|tmp|pid)|(?:^|\/)(?:LICEN[CS]E|CHANGELOG|NOTICE|AUTHORS|CODEOWNERS|README|\.gitignore|\.gitattributes|\.editorconfig))$/i;
const outside = /^(?:\/|[A-Za-z]:\/|~)/;

/** Whether changing this file makes earlier runs out of date. `path`: from `normalPath`. */
function createOutdatingTest(path: string): FileTouched | undefined {
  if (outside.test(path) || /(?:^|\/)(?:node_modules|dist|coverage|\.git|tmp|logs?)\//.test(path)) return undefined;
  return { path, isText: texts.test(path) };
}

const unknownFile: FileTouched = { path: null, isText: false };

/** The first file that a successful step changed, preferably one that is not text. */
export function fileChangedBy({ action, status }: ToolUse, workDir: string): FileTouched | undefined {
  if (status !== 'success') return undefined;
  switch (action.kind) {
    case 'file_edit':
      return preferCode(action.changes.map(({ path }) => createOutdatingTest(normalPath(path, workDir))));
    case 'file_write':
      return createOutdatingTest(normalPath(action.path, workDir));
    case 'mcp':
      return /(?:write|edit|replace|insert|patch|rename|delete|move)_?(?:file|text|symbol|content|lines?|body)|apply_patch|(?:create|str_replace)_/i.test(
        action.tool,
      )
        ? unknownFile
        : undefined;
    default:
      return undefined;
  }
}

/** The same for each command of the lines. A failed command may have changed files too. */
export function fileChangedByCommand({ command }: ShellPart, workDir: string): FileTouched | undefined {
  const bare = launchedCommand(command);
  const redirected = /(?:^|[^\d&>=-])>{1,2}\s*(["']?)([\w./@~-]+)\1/.exec(bare)?.[2];
  const name = programName(wordsOf(bare)[0]?.text ?? '');
  const written =
    redirected === undefined || /^\/dev\//.test(redirected) || isResult(redirected)
      ? undefined
      : createOutdatingTest(normalPath(redirected, workDir));
  if (written !== undefined) return written;
  if (changingCommands.some(([program, line]) => program.test(name) && line.test(bare)))
    return namedFile(bare, workDir);
  return undefined;
}

/** Files that runs write their output to. */
function isResult(path: string): boolean {
  return /\.(?:log|out|txt|json|xml|tap|err|html)$/.test(path) || (!/\./.test(path) && !/file$/i.test(path));
}

const changingCommands: readonly (readonly [program: RegExp, line: RegExp])[] = [
  [/^(?:sed|gsed|perl|ruby)$/, /\s(?:-\w*i\w*|--in-place)(?:[\s=.'"]|$)/],
  [
    /^git$/,
    /^git (?:-C \S+ |-c \S+ )*(?:checkout|switch|restore|reset --hard|reset --merge|stash(?! (?:list|show))|apply|am|merge|rebase|pull|cherry-pick|revert|mv|rm|clean)\b/,
  ],
  [/^patch$/, /./],
  [
    /^(?:mv|cp|rm|tee|truncate|unlink|ln|rsync|install)$/,
    /^(?!.*(?:node_modules|dist|build|coverage|tmp|\.cache|target|__pycache__|\.log\b)).*\.\w{1,5}\b|^(?:mv|cp|rm -r\w*) (?:\.\/)?(?:src|lib|test|app)\b/,
  ],
  [/^prettier$/, /\s(?:--write|-w)\b/],
  [
    /^(?:eslint|stylelint|biome|ruff|oxlint|rubocop|ktlint|swiftlint|standard|xo|tslint|knip)$/,
    /\s(?:--fix(?!-dry)|--write|--apply|-a|-A|--auto-?correct\S*|--unsafe-fixes)(?:\s|$)|^ruff format(?!.*--(?:check|diff))/,
  ],
  [/^(?:black|isort|autopep8|yapf|autoflake|pyupgrade)$/, /^(?!.*--(?:check|diff)\b)/],
  [/^cargo$/, /^cargo (?:\+\S+ )?(?:fmt(?!.*--check)|fix|add|remove|update|clippy .*--fix)\b/],
  [/^(?:gofmt|goimports)$/, /\s-w\b/],
  [/^go$/, /^go (?:fmt|generate|mod tidy|get)\b/],
  [
    /^(?:dart|mix|rustfmt|swiftformat|swift-format|zig|deno|terraform)$/,
    /^(?!.*(?:--check|--set-exit-if-changed|--lint|--dry-run)).*(?:^(?:rustfmt|swiftformat)| fmt\b| format\b)/,
  ],
  [
    /^(?:npm|pnpm|yarn|bun)$/,
    /^(?:npm|pnpm|yarn|bun) (?:i|install|add|remove|rm|uninstall|update|upgrade|up|version|dedupe|audit fix) \S|^(?:npm|pnpm|yarn|bun) (?:run )?(?:format|fmt|lint:fix|fix|codegen|generate)(?!:check)(?:\s|$)/,
  ],
  [/^(?:pip3?|poetry|uv|composer|bundle|gem|pdm)$/, /\b(?:install|add|remove|require|update|uninstall) \S/],
  [/^(?:jscodeshift|ast-grep|sg|comby|codemod|sd)$/, /./],
];

function namedFile(command: string, workDir: string): FileTouched {
  const files = wordsOf(command).flatMap(({ text }) =>
    /^["']?[\w@./\\-]+\.[a-z]{1,5}["']?$/i.test(text)
      ? [createOutdatingTest(normalPath(text.replace(/["']/g, ''), workDir))]
      : [],
  );
  return files.length === 0 ? unknownFile : (preferCode(files) ?? { path: null, isText: true });
}

function preferCode(all: readonly (FileTouched | undefined)[]): FileTouched | undefined {
  const found = all.filter((file) => file !== undefined);
  return found.find(({ isText }) => !isText) ?? found[0];
}
