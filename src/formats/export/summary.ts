import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { FileChange } from '../../model/transcript/tool.ts';
import { costText, durationText } from './shared/facts.ts';
import { inertLine } from './shared/inertMarkdown.ts';
import type { Exporter, ExportSource } from './shared/source.ts';
import { diffOf } from './shared/toolFields.ts';

/** Rows and characters that a reader of a pull request still takes in. */
const maxFiles = 50;
const maxCommands = 20;
const maxPrompt = 400;
const maxCommand = 120;

interface Lines {
  readonly added: number;
  readonly removed: number;
}

/** What a session did, in Markdown for the description of a pull request. Loads nothing when rendered. */
export const summary: Exporter = {
  async *write(source) {
    const files = new Map<string, Lines>();
    const failed = new Map<string, string>();
    let commands = 0;
    for await (const entry of source.entries()) {
      for (const [path, lines] of changesOf(entry)) {
        const before = files.get(path) ?? { added: 0, removed: 0 };
        files.set(path, { added: before.added + lines.added, removed: before.removed + lines.removed });
      }
      if (entry.type.kind !== 'tool_use' || entry.type.tool.action.kind !== 'command_run') continue;
      commands += 1;
      const { action, status } = entry.type.tool;
      const problem =
        (action.exitCode ?? 0) === 0 ? (status === 'success' ? '' : status) : `exit code ${action.exitCode}`;
      // The last run of a command counts.
      if (problem === '') failed.delete(action.command);
      else failed.set(action.command, problem);
    }
    yield `${headOf(source)}\n`;
    yield `\n${promptOf(source)}\n`;
    yield `\n${filesText(files, source.summary.project_dir)}\n`;
    if (commands > 0) yield `\n${commandsText(commands, failed)}\n`;
    yield `\nRecorded by Vitrine as \`${source.summary.session_id}\`.\n`;
  },
};

function headOf({ summary: about, runs, results }: ExportSource): string {
  const durations = results.flatMap(({ metadata }) => metadata.duration ?? []);
  const duration = durations.length === runs.length ? durations.reduce((sum, ms) => sum + ms, 0) : null;
  const agent = [about.agent_label, about.agent_version].filter((part) => part !== null).join(' ');
  const turns = `${runs.length} ${runs.length === 1 ? 'turn' : 'turns'}`;
  const facts = [about.model ?? '', about.outcome, turns, durationText(duration), costText(about.total_cost)];
  return [`**${inertLine(agent)}**`, ...facts.filter((fact) => fact !== '').map(inertLine)].join(' · ');
}

/** The first prompt of a person. */
function promptOf({ summary: about, runs }: ExportSource): string {
  const text = inertLine(runs.find(({ synthetic }) => synthetic !== true)?.prompt ?? about.prompt);
  return `> ${text.length > maxPrompt ? `${text.slice(0, maxPrompt)}…` : text}`;
}

function* changesOf({ type }: NormalizedEntry): Generator<[string, Lines]> {
  if (type.kind !== 'tool_use' || type.tool.status !== 'success') return;
  const { action } = type.tool;
  if (action.kind === 'file_write') yield [action.path, { added: linesIn(action.content ?? ''), removed: 0 }];
  if (action.kind === 'file_edit') for (const change of action.changes) yield [change.path, linesOf(change)];
}

function linesOf({ patch, oldText, newText }: FileChange): Lines {
  const lines = (patch ?? diffOf(oldText, newText)).split('\n');
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

function filesText(files: ReadonlyMap<string, Lines>, folder = ''): string {
  if (files.size === 0) return 'No tool call changed a file.';
  const rows = [...files].slice(0, maxFiles).map(([path, { added, removed }]) => {
    const short = folder !== '' && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
    return `| ${codeSpan(short)} | +${added} −${removed} |`;
  });
  const unlisted = files.size - rows.length;
  return [
    '| changed by the agent | lines |',
    '| --- | --- |',
    ...rows,
    ...(unlisted > 0 ? [`| and ${unlisted} more | |`] : []),
  ].join('\n');
}

function commandsText(count: number, failed: ReadonlyMap<string, string>): string {
  const ran = `${count} ${count === 1 ? 'command' : 'commands'} ran`;
  if (failed.size === 0) return `${ran}; none failed the last time.`;
  const rows = [...failed].slice(0, maxCommands).map(([command, problem]) => {
    const short = command.length > maxCommand ? `${command.slice(0, maxCommand)}…` : command;
    return `- ${codeSpan(short)}: ${problem}`;
  });
  const unlisted = failed.size - rows.length;
  return [`${ran}. These failed the last time:`, '', ...rows, ...(unlisted > 0 ? [`- and ${unlisted} more`] : [])].join(
    '\n',
  );
}

/** Inline code that its content can neither close nor, in a table, cut. */
function codeSpan(text: string): string {
  return `\`${text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll('`', "'")
    .replaceAll('|', String.raw`\|`)}\``;
}
