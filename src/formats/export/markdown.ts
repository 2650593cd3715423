import type { NormalizedEntry } from '../../model/entry.ts';
import type { Citation } from '../../model/metadata.ts';
import { isSynthetic, originOf } from '../../model/synthetic.ts';
import type { ToolUse } from '../../model/tool.ts';
import { factsOf } from './facts.ts';
import type { Exporter } from './source.ts';
import { diffOf, thoughtOf, toolInput, toolOutputText } from './toolFields.ts';
import { turnsAndEntries } from './turns.ts';

/** For people: the session as a document. */
export const markdown: Exporter = {
  async *write(source) {
    const { summary } = source;
    yield `# ${line(summary.title ?? summary.session_id)}\n\n| | |\n| --- | --- |\n`;
    for (const [name, value] of factsOf(source)) yield `| ${name} | ${line(value).replaceAll('|', '\\|')} |\n`;
    yield '\n';
    for await (const { heading, entry } of turnsAndEntries(source)) {
      if (heading !== undefined) yield `## Turn ${heading.turn}: ${heading.figures}\n\n`;
      if (entry !== undefined) yield `${entryText(entry)}\n\n`;
    }
  },
};

/** One entry, without a line break at its end. */
export function entryText(entry: NormalizedEntry): string {
  const { type, content } = entry;
  switch (type.kind) {
    case 'user_message': {
      const origin = originOf(entry);
      const who = origin === 'human' ? 'User' : origin;
      const marked = origin === 'callback' ? 'Callback' : 'Trigger';
      return `**${isSynthetic(entry) ? marked : who}**\n\n${quoted(content)}`;
    }
    case 'assistant_message':
      return [`**Assistant**`, content, sources(entry)].filter((each) => each !== '').join('\n\n');
    case 'thinking':
      return `*Thinking*\n\n${quoted(thoughtOf(entry))}`;
    case 'system_message':
      return `*${line(content)}*`;
    case 'error':
      return `**Error:** ${line(type.error.message)}`;
    case 'tool_use':
      return toolText(type.tool, content);
  }
}

function toolText(tool: ToolUse, content: string): string {
  const { action } = tool;
  const parts = [`**${line(tool.toolName)}** (${tool.status})`];
  if (action.kind === 'command_run') parts.push(fenced(action.command, 'sh'));
  else if (action.kind === 'file_edit') {
    for (const { path, patch, oldText, newText } of action.changes) {
      parts.push(`\`${path.replaceAll('`', "'")}\``, fenced(patch ?? diffOf(oldText, newText), 'diff'));
    }
  } else if (action.kind === 'file_write' && action.content !== undefined) {
    parts.push(`\`${action.path.replaceAll('`', "'")}\``, fenced(action.content, 'text'));
  } else if (action.kind === 'task' && action.prompt !== undefined) {
    parts.push(line(action.description), fenced(action.prompt, 'text'));
  } else {
    if (content !== '') parts.push(content);
    const input = JSON.stringify(toolInput(tool), null, 2);
    if (input !== '{}' && (action.kind === 'tool' || action.kind === 'mcp')) parts.push(fenced(input, 'json'));
  }
  const output = toolOutputText(tool);
  if (output !== undefined && output !== '') parts.push(fenced(output, 'text'));
  return parts.join('\n\n');
}

function sources({ metadata }: NormalizedEntry): string {
  const citations = metadata?.annotations?.filter((each) => each.kind === 'citation') ?? [];
  return citations.map((citation, index) => `[${index + 1}] ${sourceText(citation)}`).join('  \n');
}

function sourceText({ url, title, description }: Citation): string {
  const address = url === null || url === undefined ? '' : `<${url.replaceAll(/[\s<>]/g, encodeURIComponent)}>`;
  return [title, address, description]
    .filter((each) => each !== null && each !== undefined && each !== '')
    .map((each) => line(each ?? ''))
    .join(' ');
}

/** In a fence that nothing inside can close. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((each) => `> ${each}`)
    .join('\n');
}

function line(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
