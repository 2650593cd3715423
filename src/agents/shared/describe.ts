import type { ToolAction } from '../../model/transcript/tool.ts';

const marks = { completed: 'x', in_progress: '~', pending: ' ', cancelled: '-' } as const;
const longestLine = 200;

/** A text as inline code, whatever backticks it has. */
export function code(content: string): string {
  const line = firstLine(content);
  if (!line.includes('`')) return `\`${line}\``;
  const longest = (line.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 0);
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

const longestBlock = 4000;

/** A text as a code block; cut if long, because the entry has all of it. */
export function codeBlock(content: string): string {
  const part = content.length > longestBlock ? `${content.slice(0, longestBlock)}…` : content;
  const longest = (part.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${part}\n${fence}`;
}

function firstLine(content: string): string {
  const end = content.indexOf('\n');
  const line = end === -1 ? content : `${content.slice(0, end)} …`;
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}

/** `path` as a person in `workDir` would write it. */
export function shortPath(path: string, workDir: string): string {
  if (workDir === '' || !path.startsWith(workDir)) return path;
  // On Windows, a folder has a drive or is on another host.
  const separators = /^(?:[A-Za-z]:|\\\\)/.test(workDir) ? '/\\' : '/';
  if (separators.includes(workDir.slice(-1))) return path.slice(workDir.length);
  const next = path.charAt(workDir.length);
  return next !== '' && separators.includes(next) ? path.slice(workDir.length + 1) : path;
}

/** One line of Markdown that says what a tool call does. */
export function describeCall(toolName: string, action: ToolAction, workDir: string): string {
  const at = (path: string) => code(shortPath(path, workDir));
  switch (action.kind) {
    case 'file_read': {
      const from = action.startLine ?? 1;
      const lines = action.endLine === undefined ? '' : ` (lines ${from}–${action.endLine})`;
      return `Read ${at(action.path)}${lines}`;
    }
    case 'file_write':
      return `Write ${at(action.path)}`;
    case 'file_edit':
      return `Edit ${[...new Set(action.changes.map((change) => at(change.path)))].join(', ')}`;
    case 'command_run':
      return `Run ${code(action.command)}`;
    case 'search':
      return `Search ${code(action.query)}${action.path === undefined ? '' : ` in ${at(action.path)}`}`;
    case 'web_fetch':
      return `Fetch ${code(action.url)}`;
    case 'web_search':
      return `Search the web for ${code(action.query)}`;
    case 'todo':
      return action.todos.map(({ text, status }) => `- [${marks[status]}] ${firstLine(text)}`).join('\n') || toolName;
    case 'task':
      return `Delegate ${code(action.description)}${action.agentType === undefined ? '' : ` to ${code(action.agentType)}`}`;
    case 'mcp':
      return `Call ${code(action.tool)} of ${code(action.server)}`;
    case 'tool':
      return `Use ${code(toolName)}`;
  }
}

/**
 * A word as a POSIX shell takes it. Quotes as Codex does (the Rust crate shlex): in single quotes; in double quotes if it has single
 * quotes or backslashes; in pieces if neither is possible for all of it.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  let quoted = word === '' ? "''" : '';
  for (let rest = word; rest !== '';) {
    const [single = ''] = /^\^?[^'\\^]*/.exec(rest) ?? [];
    const [double = ''] = /^[^`$!^]*/.exec(rest) ?? [];
    quoted += single.length >= double.length ? `'${single}'` : `"${double.replaceAll(/["\\]/g, '\\$&')}"`;
    rest = rest.slice(Math.max(single.length, double.length));
  }
  return quoted;
}
