import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { MarkedToken, Token, Tokens } from 'marked';
import { button, codicon } from '../controls.ts';
import { t } from '../l10n.ts';
import { visibleTemplate } from '../text/shown.ts';
import { plain } from '../text/visible.ts';
import type { Block } from './blocks.ts';
import { entities } from './entities.ts';
import { maxNesting, maxInline, maxItems } from './limits.ts';
import { linkTarget, type Target } from './targets.ts';

export type Content = TemplateResult | string | typeof nothing;

export interface MarkdownActions {
  copy(text: string): void;
  /** Replaces marked text. */
  readonly renderMarked?: (token: Token) => Content | undefined;
}

/**
 * Creates the DOM of a block from its tokens: only the elements here can appear. `whole`: someone decides about the text, so
 * all of it is shown, however long, including what Markdown hides.
 */
export function renderBlock(
  { token, isJoined, open = false }: Block,
  actions: MarkdownActions,
  { whole = false }: { readonly whole?: boolean } = {},
): Content {
  return new Renderer(actions, open, whole).block(token, 0, isJoined);
}

class Renderer {
  readonly #actions: MarkdownActions;
  /** Growing code is not colored, because that would be repeated for every few characters. */
  readonly #open: boolean;
  readonly #isWhole: boolean;
  readonly #itemLimit: number;
  #inline = 0;
  #items = 0;

  constructor(actions: MarkdownActions, open: boolean, whole: boolean) {
    this.#actions = actions;
    this.#open = open;
    this.#isWhole = whole;
    this.#itemLimit = whole ? Infinity : maxItems;
  }

  block(token: Token, depth: number, joined = false): Content {
    if (depth > maxNesting || !isKnown(token)) return html`<p>${visibleTemplate(token.raw)}</p>`;
    switch (token.type) {
      case 'space':
        return nothing;
      case 'def':
        return this.#isWhole ? renderRaw(token) : nothing;
      case 'heading':
        // The transcript's outline consists of turns, so headings in messages are not real headings.
        return html`<p class="md-h" role="heading" aria-level="${Math.min(6, token.depth + 2)}">
          ${this.renderInline(token.tokens)}
        </p>`;
      case 'paragraph':
        return html`<p class=${classNames(joined && 'joined', longWord.test(token.raw) && 'long')}>
          ${this.renderInline(token.tokens)}
        </p>`;
      case 'text':
        return token.tokens === undefined
          ? (this.#renderMarked(token) ?? visibleTemplate(entities(token.text)))
          : html`${this.renderInline(token.tokens)}`;
      case 'code':
        return this.#renderCode(token, joined);
      case 'list':
        return this.#renderList(token, depth);
      case 'blockquote':
        return html`<blockquote>${token.tokens.map((child) => this.block(child, depth + 1))}</blockquote>`;
      case 'table':
        return this.#isWhole && hasDroppedCells(token) ? renderRaw(token) : this.#renderTable(token);
      case 'hr':
        return html`<hr />`;
      default:
        return renderRaw(token);
    }
  }

  renderInline(tokens: readonly Token[]): Content {
    return html`${tokens.map((token) => this.#renderSpan(token))}`;
  }

  #renderSpan(token: Token): Content {
    this.#inline += 1;
    if (!isKnown(token) || this.#inline > maxInline) return visibleTemplate(token.raw);
    const marked = this.#renderMarked(token);
    if (marked !== undefined) return marked;
    switch (token.type) {
      case 'text':
        return token.tokens === undefined ? visibleTemplate(entities(token.text)) : this.renderInline(token.tokens);
      case 'escape':
        return visibleTemplate(token.text);
      case 'strong':
        return html`<strong>${this.renderInline(token.tokens)}</strong>`;
      case 'em':
        return html`<em>${this.renderInline(token.tokens)}</em>`;
      case 'del':
        return html`<s>${this.renderInline(token.tokens)}</s>`;
      case 'codespan':
        return html`<code>${visibleTemplate(token.text)}</code>`;
      case 'br':
        return html`<br />`;
      case 'link':
        return this.#renderLink(token);
      case 'image':
        return html`<span class="image" title=${plain(token.href)}
          >${codicon('file-media')} ${t('Image, not loaded:')} ${visibleTemplate(token.text || token.href)}
          ${this.#isWhole ? targetOf(token) : nothing}</span
        >`;
      default:
        return visibleTemplate(token.raw);
    }
  }

  #renderMarked(token: Token): Content | undefined {
    return this.#actions.renderMarked?.(token);
  }

  /** No `href`: only the page's own click handler can follow it. */
  #renderLink(token: Tokens.Link): Content {
    const target = linkTarget(entities(token.href));
    const label = this.renderInline(token.tokens);
    if (target === undefined) return html`${label} ${targetOf(token, this.#isWhole)}`;
    const link = this.#linkTo(target, label);
    return this.#isWhole && token.text !== token.href ? html`${link} ${targetOf(token)}` : link;
  }

  #linkTo(target: Target, label: Content): TemplateResult {
    return target.kind === 'page'
      ? html`<a role="link" tabindex="0" data-url=${target.url} title=${plain(target.url)}>${label}</a>`
      : html`<a
          role="link"
          tabindex="0"
          data-file=${target.path}
          data-line=${target.line ?? nothing}
          title=${plain(target.path)}
          >${label}</a
        >`;
  }

  #renderCode(token: Tokens.Code, joined: boolean): Content {
    const { text } = token;
    const info = token.lang ?? '';
    const language = /^\S*/.exec(info)?.[0] ?? '';
    return html`<div class="code ${joined ? 'joined' : ''}">
      ${
        joined
          ? nothing
          : html`<div class="code-h">
              <span>${visibleTemplate(this.#isWhole ? info : language)}</span>
              ${button({ label: t('Copy'), icon: 'copy', look: 'icon', onClick: () => this.#actions.copy(text) })}
            </div>`
      }
      <pre tabindex="0"><code data-code=${this.#open ? nothing : language}>${visibleTemplate(text)}</code></pre>
    </div>`;
  }

  #renderList(token: Tokens.List, depth: number): Content {
    const items = token.items.map((item) => {
      this.#items += 1;
      if (this.#items > this.#itemLimit) return nothing;
      const task = item.task
        ? html`<input
            type="checkbox"
            disabled
            aria-label=${item.checked === true ? t('done') : t('open')}
            .checked=${item.checked === true}
          /> `
        : nothing;
      const own = item.task ? item.tokens.filter(({ type }) => type !== 'checkbox') : item.tokens;
      return html`<li class=${item.task ? 'task' : nothing}>
        ${task}${own.map((child) => this.block(child, depth + 1))}
      </li>`;
    });
    const rest = token.items.length - items.filter((item) => item !== nothing).length;
    const omitted = rest > 0 ? html`<li class="rest">${t('{0} more items, not shown', rest)}</li>` : nothing;
    return token.ordered
      ? html`<ol start=${token.start === '' ? 1 : token.start}>
          ${items}${omitted}
        </ol>`
      : html`<ul>
          ${items}${omitted}
        </ul>`;
  }

  #renderTable(token: Tokens.Table): Content {
    const rows = token.rows.slice(0, this.#itemLimit);
    const rest = token.rows.length - rows.length;
    return html`<div class="table" tabindex="0" role="group" aria-label=${t('Table')}>
      <table>
        <thead>
          <tr>
            ${token.header.map((cell) => html`<th scope="col">${this.renderInline(cell.tokens)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map((cell) => html`<td class=${cell.align === 'right' ? 'n' : nothing}>${this.renderInline(cell.tokens)}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
      ${rest > 0 ? html`<p class="rest">${t('{0} more rows, not shown', rest)}</p>` : nothing}
    </div>`;
  }
}

/** Browsers take quadratic time to wrap a word without break opportunities. */
const longWord = /\S{400}/;

function classNames(...classes: readonly (string | false)[]): string | typeof nothing {
  return classes.filter((name) => name !== false).join(' ') || nothing;
}

function renderRaw(token: MarkedToken): TemplateResult {
  return html`<p class=${classNames('raw', longWord.test(token.raw) && 'long')}>
    ${visibleTemplate(token.raw.trimEnd())}
  </p>`;
}

/** Target of a link or image. */
function targetOf({ href, title }: Tokens.Link | Tokens.Image, titled = true): TemplateResult {
  const said = titled && typeof title === 'string' && title !== '' ? ` ${title}` : '';
  return html`<span class="target">(${visibleTemplate(`${href}${said}`)})</span>`;
}

/** A row may have more cells than the header; no token contains those. */
function hasDroppedCells({ raw: text, header, rows }: Tokens.Table): boolean {
  const size = (part: string): number => part.replace(/[\s|:\\-]+/g, '').length;
  return size(text) !== [...header, ...rows.flat()].reduce((sum, cell) => sum + size(cell.text), 0);
}

const knownTypes: ReadonlySet<string> = new Set<MarkedToken['type']>([
  'space',
  'def',
  'heading',
  'paragraph',
  'text',
  'code',
  'list',
  'blockquote',
  'table',
  'hr',
  'html',
  'escape',
  'strong',
  'em',
  'del',
  'codespan',
  'br',
  'link',
  'image',
]);

/** marked's own tokens, as opposed to those of extensions, of which there are none here. */
function isKnown(token: Token): token is MarkedToken {
  return knownTypes.has(token.type);
}
