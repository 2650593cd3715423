import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { Citation } from '../../model/transcript/metadata.ts';
import { isSynthetic, originOf } from '../../model/transcript/synthetic.ts';
import type { ToolUse } from '../../model/transcript/tool.ts';
import { factsOf } from './shared/facts.ts';
import { inertLine, inertMarkdown } from './shared/inertMarkdown.ts';
import type { Exporter } from './shared/source.ts';
import { diffOf, thinkingTextOf, toolInput, toolOutputText } from './shared/toolFields.ts';
import { turnsAndEntries } from './shared/turns.ts';

/**
 * The session as a document. All messages are quoted, so that none can fake its author. Loads nothing when rendered.
 */
export const markdown: Exporter = {
  async *write(source) {
    const { summary } = source;
    yield `# ${inertLine(summary.title ?? summary.session_id)}\n\n| | |\n| --- | --- |\n`;
    for (const [name, value] of factsOf(source)) {
      yield `| ${name} | ${inertLine(value).replaceAll(/[\\|]/g, String.raw`\$&`)} |\n`;
    }
    yield '\n';
    for await (const { heading, entry } of turnsAndEntries(source)) {
      if (heading !== undefined) yield `## Turn ${heading.turn}: ${heading.figures}\n\n`;
      if (entry !== undefined) yield `${entryText(entry, quote)}\n\n`;
    }
  },
};

type Mark = (text: string) => string;

/** One entry, without a final line break. `mark` formats the agent's words. */
export function entryText(entry: NormalizedEntry, mark: Mark = (text) => text): string {
  const { type, content } = entry;
  switch (type.kind) {
    case 'user_message': {
      const origin = originOf(entry);
      const who = origin === 'human' ? 'User' : origin;
      const marked = origin === 'callback' ? 'Callback' : 'Trigger';
      return `**${isSynthetic(entry) ? marked : who}**\n\n${quote(inertMarkdown(content))}`;
    }
    case 'assistant_message':
      return [`**Assistant**`, inertMarkdown(content), sources(entry)]
        .filter((part) => part !== '')
        .map((paragraph, at) => (at === 0 ? paragraph : mark(paragraph)))
        .join('\n\n');
    case 'thinking':
      return `*Thinking*\n\n${quote(inertMarkdown(thinkingTextOf(entry)))}`;
    case 'system_message':
      return `*${singleLine(content)}*`;
    case 'error':
      return `**Error:** ${singleLine(type.error.message)}`;
    case 'tool_use':
      return toolText(type.tool, content, mark);
  }
}

function toolText(tool: ToolUse, content: string, mark: Mark): string {
  const { action } = tool;
  const parts = [`**${singleLine(tool.toolName)}** (${tool.status})`];
  if (action.kind === 'command_run') parts.push(toCodeFence(action.command, 'sh'));
  else if (action.kind === 'file_edit') {
    for (const { path, patch, oldText, newText } of action.changes) {
      parts.push(codeSpan(path), toCodeFence(patch ?? diffOf(oldText, newText), 'diff'));
    }
  } else if (action.kind === 'file_write' && action.content !== undefined) {
    parts.push(codeSpan(action.path), toCodeFence(action.content, 'text'));
  } else if (action.kind === 'task' && action.prompt !== undefined) {
    parts.push(mark(inertLine(action.description)), toCodeFence(action.prompt, 'text'));
  } else {
    if (content !== '') parts.push(mark(inertMarkdown(content)));
    const input = JSON.stringify(toolInput(tool), null, 2);
    if (input !== '{}' && (action.kind === 'tool' || action.kind === 'mcp')) parts.push(toCodeFence(input, 'json'));
  }
  const output = toolOutputText(tool);
  if (output !== undefined && output !== '') parts.push(toCodeFence(output, 'text'));
  return parts.join('\n\n');
}

function sources({ metadata }: NormalizedEntry): string {
  const citations = metadata?.annotations?.filter((annotation) => annotation.kind === 'citation') ?? [];
  return citations.map((citation, index) => `[${index + 1}] ${sourceText(citation)}`).join('  \n');
}

function sourceText({ url, title, description }: Citation): string {
  const address = /^https?:/i.test(url ?? '')
    ? `<${(url ?? '').replaceAll(/[\s<>]/g, encodeURIComponent)}>`
    : inertLine(url ?? '');
  return [inertLine(title ?? ''), address, inertLine(description ?? '')].filter((part) => part !== '').join(' ');
}

/** Code fence that the content cannot close. */
function toCodeFence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

function quote(text: string): string {
  return text
    .split('\n')
    .map((paragraph) => `> ${paragraph}`)
    .join('\n');
}

/** Inline code that the content cannot close. */
function singleLine(text: string): string {
  return inertLine(text.replaceAll('*', String.raw`\*`));
}

function codeSpan(text: string): string {
  return `\`${line(text).replaceAll('`', "'")}\``;
}

function line(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
