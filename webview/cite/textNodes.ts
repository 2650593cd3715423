import type { Token, Tokens } from 'marked';
import { maxNesting, maxInline, maxItems } from '../markdown/limits.ts';
import type { Block } from '../markdown/blocks.ts';
import { TextMap } from './textMap.ts';

/** Shown text of a message, as written or with escapes resolved. */
export interface TextNode {
  readonly token: Token;
  /** As it is written. */
  readonly raw: string;
  /** Position in `raw`; all of it corresponds to what is shown. */
  readonly map: TextMap;
  /** The shown text differs from the written one, so it is marked completely or not at all. */
  readonly isWhole: boolean;
  readonly start: number;
  readonly end: number;
}

/** The texts of a block in drawing order, and their positions in the message. */
export function textNodesOf({ token, at }: Block): TextNode[] {
  if (at < 0) return [];
  const found: TextNode[] = [];
  new Walk(found).block(token, TextMap.identity(at, token.raw.length), 0);
  return found;
}

/** Follows the renderer's order and counting. */
class Walk {
  readonly #textNodes: TextNode[];
  #inline = 0;
  #items = 0;

  constructor(found: TextNode[]) {
    this.#textNodes = found;
  }

  block(token: Token, map: TextMap, depth: number): void {
    if (depth > maxNesting) return;
    switch (token.type) {
      case 'heading':
      case 'paragraph':
      case 'text':
        if (token.tokens === undefined) this.#addLeaf(token, map, token.raw, false);
        else this.#inlineOf(token, map);
        return;
      case 'list':
        if (isList(token)) this.#addList(token, map, depth);
        return;
      case 'blockquote':
        this.#addNestedBlocks(token.tokens ?? [], token.raw, map, depth);
        return;
      case 'table':
        if (isTable(token)) this.#addTable(token, map);
        return;
      default:
    }
  }

  /** Blocks in a block that prefixes each of their lines. */
  #addNestedBlocks(tokens: readonly Token[], raw: string, map: TextMap, depth: number): void {
    const text = tokens.map((token) => token.raw).join('');
    const lines = TextMap.fromLines(text, raw).composeWith(map);
    let at = 0;
    for (const token of tokens) {
      this.block(token, lines.part(at, at + token.raw.length), depth + 1);
      at += token.raw.length;
    }
  }

  #addList(list: Tokens.List, map: TextMap, depth: number): void {
    let at = 0;
    for (const item of list.items) {
      this.#items += 1;
      if (this.#items > maxItems) return;
      this.#addNestedBlocks(item.tokens, item.raw, map.part(at, at + item.raw.length), depth);
      at += item.raw.length;
    }
  }

  #addTable(table: Tokens.Table, map: TextMap): void {
    const lines = table.raw.split('\n');
    let at = 0;
    for (const [place, line] of lines.entries()) {
      const row = place === 0 ? table.header : place === 1 ? [] : (table.rows.slice(0, maxItems)[place - 2] ?? []);
      let from = 0;
      for (const cell of row) {
        const start = cell.text === '' ? -1 : line.indexOf(cell.text, from);
        if (start === -1) continue;
        from = start + cell.text.length;
        this.#addInlines(cell.tokens, cell.text, map.part(at + start, at + from));
      }
      at += line.length + 1;
    }
  }

  #inlineOf(token: Token, map: TextMap): void {
    const text = 'text' in token && typeof token.text === 'string' ? token.text : '';
    const start = token.raw.indexOf(text);
    const tokens = 'tokens' in token ? (token.tokens ?? []) : [];
    if (start === -1) this.#count(tokens);
    else this.#addInlines(tokens, text, map.part(start, start + text.length));
  }

  #addInlines(tokens: readonly Token[], text: string, map: TextMap): void {
    let at = 0;
    for (const token of tokens) {
      this.#inline += 1;
      const fits = text.startsWith(token.raw, at);
      if (!fits || this.#inline > maxInline) {
        // From here on, positions are unknown.
        if ('tokens' in token) this.#count(token.tokens ?? []);
        if (!fits) at = text.length;
        continue;
      }
      this.#addSpan(token, map.part(at, at + token.raw.length));
      at += token.raw.length;
    }
  }

  #count(tokens: readonly Token[]): void {
    for (const token of tokens) {
      this.#inline += 1;
      if ('tokens' in token) this.#count(token.tokens ?? []);
    }
  }

  #addSpan(token: Token, map: TextMap): void {
    switch (token.type) {
      case 'strong':
      case 'em':
      case 'del':
      case 'link':
        this.#inlineOf(token, map);
        return;
      case 'text':
        if (token.tokens === undefined) this.#addLeaf(token, map, token.raw, false);
        else this.#inlineOf(token, map);
        return;
      case 'codespan': {
        const text = 'text' in token && typeof token.text === 'string' ? token.text : '';
        const start = token.raw.indexOf(text);
        const mapped = start === -1 ? map : map.part(start, start + text.length);
        this.#addLeaf(token, mapped, start === -1 ? token.raw : text, start === -1);
        return;
      }
      case 'escape':
        this.#addLeaf(token, map, token.raw, true);
        return;
      default:
    }
  }

  #addLeaf(token: Token, map: TextMap, raw: string, isWhole: boolean): void {
    const { span } = map;
    if (span === undefined || raw === '') return;
    this.#textNodes.push({ token, raw, map, isWhole, start: span[0], end: span[1] });
  }
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list';
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table';
}
