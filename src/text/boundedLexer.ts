import { Lexer, Tokenizer, type Token, type Tokens } from 'marked';

/** Maximum nesting of quotes and lists, for which the lexer recurses and rereads its text. */
const maxNesting = 16;
/** Maximum characters searched for emphasis, links and code at once, which takes quadratic time. */
const maxInline = 8192;
/** Maximum number of link definitions, which the lexer searches for each paragraph. */
const maxDefinitions = 500;
/** Maximum characters of addresses that references may repeat: this, plus one for each four of the text. */
const freeReferences = 1000;

/**
 * Tokens of Markdown, with no more cells than characters and limited repetition of addresses. What exceeds a limit
 * stays text. `null` if the lexer fails, as with a thousand nested emphases.
 */
export function lexMarkdown(text: string): Token[] | null {
  try {
    return new BoundedLexer({ gfm: true, tokenizer: new BoundedTokenizer(text.length) }).lex(text);
  } catch {
    return null;
  }
}

class BoundedLexer extends Lexer {
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length <= maxInline) return super.inlineTokens(src, tokens);
    tokens.push({ type: 'text', raw: src, text: src });
    return tokens;
  }
}

/** A method that returns nothing makes the lexer try the next kind of block; the last one is a paragraph. */
class BoundedTokenizer extends Tokenizer {
  #depth = 0;
  #definitions = 0;
  #references: number;

  constructor(length: number) {
    super();
    this.#references = freeReferences + length / 4;
  }

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return this.#withNesting(() => super.blockquote(src));
  }

  override list(src: string): Tokens.List | undefined {
    return this.#withNesting(() => super.list(src));
  }

  /** The lexer fills each row up to the width of the header. */
  override table(src: string): Tokens.Table | undefined {
    // A quick check for a table header; the pattern would scan the whole paragraph.
    if (!/^[^\n]*\n[^\n]*[:|]/.test(src)) return undefined;
    const [all = '', header = ''] = this.rules.block.table.exec(src) ?? [];
    return header.split('|').length * all.split('\n').length > all.length ? undefined : super.table(src);
  }

  override def(src: string): Tokens.Def | undefined {
    if (this.#definitions >= maxDefinitions) return undefined;
    const found = super.def(src);
    if (found !== undefined) this.#definitions += 1;
    return found;
  }

  override reflink(...[src, links]: Parameters<Tokenizer['reflink']>): ReturnType<Tokenizer['reflink']> {
    const first = src.charAt(0);
    if (this.#references < 0)
      return first === '[' || first === '!' ? { type: 'text', raw: first, text: first } : undefined;
    const found = super.reflink(src, links);
    if (found !== undefined && 'href' in found) this.#references -= found.href.length + (found.title?.length ?? 0);
    return found;
  }

  #withNesting<T>(read: () => T): T | undefined {
    if (this.#depth >= maxNesting) return undefined;
    this.#depth += 1;
    try {
      return read();
    } finally {
      this.#depth -= 1;
    }
  }
}
