import { utf16Offsets } from '../../../model/text/codePoints.ts';
import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import { isMarkedSynthetic, originOf } from '../../../model/transcript/synthetic.ts';
import type { ToolUse } from '../../../model/transcript/tool.ts';
import { factsOf } from '../shared/facts.ts';
import { style } from './htmlStyle.ts';
import { base64OfHex, codeHtml, diffHtml, escapeHtml } from './htmlText.ts';
import { linkHtml, markdownHtml } from './markdownHtml.ts';
import type { Exporter, ExportSource, ExportTools } from '../shared/source.ts';
import { diffOf, isFailed, thoughtOf, toolInput, toolOutputText } from '../shared/toolFields.ts';
import { turnsAndEntries } from '../shared/turns.ts';

/** A self-contained page without scripts or requests. Its content security policy allows one style by its hash. */
export const html: Exporter = {
  async *write(source, tools) {
    yield head(source, tools);
    for await (const { heading, entry } of turnsAndEntries(source)) {
      if (heading !== undefined) {
        yield `<h2 id="turn-${heading.turn}">Turn ${heading.turn} <small>${escapeHtml(heading.figures)}</small></h2>\n`;
      }
      if (entry !== undefined) yield entryHtml(entry);
    }
    const at = `${tools.at.slice(0, 16).replace('T', ' ')} UTC`;
    yield `</main>\n<footer>Exported by Vitrine ${escapeHtml(tools.version)} on ${escapeHtml(at)}.</footer>\n</body>\n</html>\n`;
  },
};

function head(source: ExportSource, { sha256 }: ExportTools): string {
  const title = escapeHtml(source.summary.title ?? source.summary.session_id);
  const hash = base64OfHex(sha256(style));
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const facts = factsOf(source).map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<dl>${facts.join('')}</dl>
</header>
<main>
`;
}

function entryHtml(entry: NormalizedEntry): string {
  const { type, content, index, timestamp, metadata } = entry;
  const time = escapeHtml(timestamp.slice(11, 19));
  const nested = metadata?.parentCallId === undefined ? '' : ' class="nested"';
  const article = (who: string, body: string): string =>
    `<article id="entry-${index}"${nested}><header>${escapeHtml(who)} <time datetime="${escapeHtml(timestamp)}">${time}</time></header>\n${body}</article>\n`;
  switch (type.kind) {
    case 'user_message':
      return article(speaker(entry), `<div class="user">${escapeHtml(content)}</div>`);
    case 'assistant_message':
      return article('Assistant', markdownHtml(content) + sources(entry));
    case 'thinking':
      return article('Thinking', `<details><summary>Thinking</summary>${markdownHtml(thoughtOf(entry))}</details>`);
    case 'system_message':
      return article(type.subtype ?? 'Note', `<p class="soft">${escapeHtml(content)}</p>`);
    case 'error':
      return article('Error', `<div class="error">${escapeHtml(type.error.message)}</div>`);
    case 'tool_use':
      return article('Tool', toolHtml(type.tool));
  }
}

function speaker(entry: NormalizedEntry): string {
  const { metadata } = entry;
  const origin = originOf(entry);
  if (!isMarkedSynthetic(metadata)) return origin === 'human' ? 'User' : origin;
  const word = origin === 'callback' ? 'Callback' : `Trigger (${metadata?.trigger_type ?? 'synthetic'})`;
  return [word, metadata?.trigger_reason].filter((part) => part !== undefined).join(': ');
}

function toolHtml(tool: ToolUse): string {
  const { action, status } = tool;
  const about = escapeHtml(headline(tool));
  const state = isFailed(tool) ? `<span class="failed">${status}</span>` : status;
  const parts: string[] = [];
  if (action.kind === 'command_run') parts.push(codeHtml(action.command, 'Command'));
  else if (action.kind === 'file_edit') {
    for (const { path, patch, oldText, newText } of action.changes) {
      parts.push(`<p><code>${escapeHtml(path)}</code></p>`, diffHtml(patch ?? diffOf(oldText, newText)));
    }
  } else if (action.kind === 'file_write' && action.content !== undefined) {
    parts.push(codeHtml(action.content, action.path));
  } else {
    const input = JSON.stringify(toolInput(tool), null, 2);
    if (input !== '{}') parts.push(codeHtml(input, 'Input'));
  }
  const output = toolOutputText(tool);
  if (output !== undefined && output !== '') parts.push(codeHtml(output, 'Result'));
  const open = action.kind === 'file_edit' || isFailed(tool) ? ' open' : '';
  return `<details${open}><summary><strong>${escapeHtml(tool.toolName)}</strong> ${about} <small>${state}</small></summary>${parts.join('')}</details>`;
}

/** One-line summary of a call. */
function headline({ action }: ToolUse): string {
  const line = (text: string): string => (text.split('\n', 1)[0] ?? '').slice(0, 160);
  switch (action.kind) {
    case 'file_read':
    case 'file_write':
      return line(action.path);
    case 'file_edit':
      return line(action.changes.map(({ path }) => path).join(', '));
    case 'command_run':
      return line(action.command);
    case 'search':
    case 'web_search':
      return line(action.query);
    case 'web_fetch':
      return line(action.url);
    case 'task':
      return line(action.description);
    case 'mcp':
      return line(`${action.server} ${action.tool}`);
    case 'todo':
      return `${action.todos.length} items`;
    case 'tool':
      return '';
  }
}

/** Sources with the cited text. */
function sources({ content, metadata }: NormalizedEntry): string {
  const citations = metadata?.annotations?.filter((each) => each.kind === 'citation') ?? [];
  if (citations.length === 0) return '';
  const items = citations.map(({ start_index: from, end_index: to, url, title, description }) => {
    const [start = 0, end = 0] =
      typeof from === 'number' && typeof to === 'number' ? utf16Offsets(content, [from, to]) : [];
    const words = content.slice(start, end).slice(0, 200);
    const about = [title ?? '', description ?? ''].filter((each) => each !== '').join(': ');
    const quoted = words === '' ? '' : `“${escapeHtml(words)}” `;
    return `<li>${quoted}${linkHtml(url ?? '', about)}</li>`;
  });
  return `<ol class="sources" aria-label="Sources">${items.join('')}</ol>`;
}
