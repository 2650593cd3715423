import type { MarkedToken, Token } from 'marked';
import { lexMarkdown } from '../../../text/boundedLexer.ts';
import { markdownRuns } from '../../../text/markdownRuns.ts';
import { codeHtml, escapeHtml } from './htmlText.ts';

/** Longer texts are shown as plain text, because the lexer takes more than linear time. */
const longest = 100_000;
const deepest = 12;

/** Markdown as HTML, generated from allowed tokens only. Loads nothing. */
export function markdownHtml(text: string): string {
  if (text.length > longest) return codeHtml(text);
  return markdownRuns(text)
    .map((run) => (run.plain ? codeHtml(run.text) : runHtml(run.text)))
    .join('');
}

function runHtml(text: string): string {
  const tokens = lexMarkdown(text);
  return tokens === null ? codeHtml(text) : blocks(tokens, 0);
}

function blocks(tokens: readonly Token[], depth: number): string {
  return tokens.map((token) => block(token, depth)).join('');
}

function block(token: Token, depth: number): string {
  if (depth > deepest || !isKnown(token)) return `<p>${escapeHtml(token.raw)}</p>`;
  switch (token.type) {
    case 'space':
    case 'def':
      return '';
    case 'heading': {
      const level = Math.min(6, token.depth + 3);
      return `<h${level}>${spans(token.tokens, depth)}</h${level}>`;
    }
    case 'paragraph':
      return `<p>${spans(token.tokens, depth)}</p>`;
    case 'text':
      return token.tokens === undefined ? text(token.text) : spans(token.tokens, depth);
    case 'code':
      return codeHtml(token.text);
    case 'blockquote':
      return `<blockquote>${blocks(token.tokens, depth + 1)}</blockquote>`;
    case 'hr':
      return '<hr>';
    case 'list': {
      const items = token.items.map((item) => {
        const own = item.task ? item.tokens.filter(({ type }) => type !== 'checkbox') : item.tokens;
        return `<li>${item.task ? (item.checked === true ? '☑ ' : '☐ ') : ''}${blocks(own, depth + 1)}</li>`;
      });
      if (!token.ordered) return `<ul>${items.join('')}</ul>`;
      return `<ol start="${Number(token.start) || 1}">${items.join('')}</ol>`;
    }
    case 'table': {
      const head = token.header.map((cell) => `<th scope="col">${spans(cell.tokens, depth)}</th>`).join('');
      const rows = token.rows.map(
        (row) => `<tr>${row.map((cell) => `<td>${spans(cell.tokens, depth)}</td>`).join('')}</tr>`,
      );
      return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
    }
    default:
      return `<p>${escapeHtml(token.raw)}</p>`;
  }
}

function spans(tokens: readonly Token[], depth: number): string {
  return tokens.map((token) => span(token, depth + 1)).join('');
}

function span(token: Token, depth: number): string {
  if (depth > deepest || !isKnown(token)) return escapeHtml(token.raw);
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? text(token.text) : spans(token.tokens, depth);
    case 'escape':
      return escapeHtml(token.text);
    case 'strong':
      return `<strong>${spans(token.tokens, depth)}</strong>`;
    case 'em':
      return `<em>${spans(token.tokens, depth)}</em>`;
    case 'del':
      return `<s>${spans(token.tokens, depth)}</s>`;
    case 'codespan':
      return `<code>${escapeHtml(token.text)}</code>`;
    case 'br':
      return '<br>';
    case 'link':
      return linkHtml(token.href, token.text, spans(token.tokens, depth));
    case 'image':
      return `[image, not loaded: ${escapeHtml(token.text === '' ? token.href : token.text)}]`;
    default:
      return escapeHtml(token.raw);
  }
}

/** The address is shown next to its label, so that no label can hide the target. `shown`: the label as HTML. */
export function linkHtml(address: string, label: string, shown = escapeHtml(label)): string {
  const isSame = label.trim() === address.trim();
  const to = escapeHtml(address);
  const isWeb = /^https?:\/\/[^\s\u0000-\u001f\u202a-\u202e\u2066-\u2069]+$/i.test(address);
  if (!isWeb) return isSame ? shown : `${shown} <span class="to">(${to})</span>`;
  const link = (text: string, look = ''): string => `<a${look} href="${to}" rel="noreferrer">${text}</a>`;
  return isSame ? link(shown) : `${shown} ${link(`(${to})`, ' class="to"')}`;
}

/** Text of a token. The lexer does not resolve character references, so they are shown as written. */
function text(value: string): string {
  return escapeHtml(value);
}

const known: ReadonlySet<string> = new Set<MarkedToken['type']>([
  'space',
  'def',
  'heading',
  'paragraph',
  'text',
  'code',
  'blockquote',
  'hr',
  'list',
  'table',
  'escape',
  'strong',
  'em',
  'del',
  'codespan',
  'br',
  'link',
  'image',
]);

function isKnown(token: Token): token is MarkedToken {
  return known.has(token.type);
}
