import type { Token } from 'marked';
import { lexMarkdown } from '../../src/text/boundedLexer.ts';
import { markdownRuns } from '../../src/text/markdownRuns.ts';
import { countTokenStarts, dividePieces, elementsOf, marksIn, type Piece } from './elements.ts';

/**
 * One block of a message. `isJoined`: continues the block before it, which was split for its length. `at`: position of the
 * token's `raw` in the text, with single-character line breaks; -1 if it is not part of it or may still change.
 */
export interface Block {
  readonly token: Token;
  readonly isJoined: boolean;
  readonly at: number;
  /** It may still grow. */
  readonly open?: boolean;
}

/** Blocks of one row of the list; `revision` changes when they do. */
export interface Part {
  readonly blocks: Block[];
  chars: number;
  /** Line breaks in their source. */
  lines: number;
  elements: number;
  revision: number;
}

/** A longer open block is closed at a line break, to limit the cost of an update. */
const longestTail = 8 * 1024;
/** A part is closed at this length, so that a long message has several rows. */
const partChars = 4 * 1024;
/** … or at so many blocks: an empty list or heading takes two characters. */
const partBlocks = 48;
/** … or at this many elements: links, code, list items and cells each need at least one. */
const partElements = 120;
/** Open blocks with more elements are closed like long ones. */
const tailElements = 400;
/** Possible token starts in a message; the rest is shown as text. An ordinary text of 256 KB has fewer. */
const maxTokenStarts = 45_000;
/** A text with fewer characters and marks is one part, whatever it contains. */
const onePartMarks = 40;

/** Whether a message may have more than one part. Cheap, because the text need not be parsed. */
export function mayTakeParts(text: string): boolean {
  return text.length > partChars || marksIn(text) > onePartMarks;
}

interface Fence {
  readonly marker: string;
  readonly lang: string;
  lines: string;
  isJoined: boolean;
}

/**
 * Markdown that grows. Closed blocks are lexed once and kept; only the open tail is lexed again. The cost is linear in the
 * text, however small its pieces are.
 */
export class MarkdownStream {
  readonly parts: Part[] = [newPart()];
  #unparsedTail = '';
  /** Number of characters so far, including `#unparsedTail`. */
  #characters = 0;
  #pendingTexts: string[] = [];
  #tokenStarts = 0;
  /** Text after the last token, if it is not closed. */
  #openText: string | undefined;
  #fence: Fence | undefined;
  #isJoined = false;
  /** Number of blocks of the last part that may still change. */
  #open = 0;

  append(text: string): void {
    if (text !== '') this.#pendingTexts.push(text);
  }

  /** Adds appended text. With `final`, everything is closed. */
  update(final = false): void {
    if (this.#pendingTexts.length === 0 && !final) return;
    // Carriage returns would end up in code and tables.
    const added = this.#pendingTexts.join('').replaceAll('\r\n', '\n');
    this.#pendingTexts = [];
    this.#dropOpen();
    const readable = this.#countReadable(added);
    this.#unparsedTail += added.slice(0, readable);
    this.#characters += readable;
    const isEnd = final || this.#openText !== undefined;
    let consumed = true;
    while (consumed) consumed = this.#fence === undefined ? this.#readBlocks(isEnd) : this.#readFence(isEnd);
    if (this.#openText !== undefined) this.#readPlain(this.#openText + added.slice(readable), final);
    this.#last.revision += 1;
  }

  /** How many of the next characters are parsed as Markdown. */
  #countReadable(added: string): number {
    if (this.#openText !== undefined) return 0;
    const { count, end } = countTokenStarts(added, maxTokenStarts - this.#tokenStarts);
    this.#tokenStarts += count;
    if (end === added.length) return end;
    this.#openText = '';
    const line = added.indexOf('\n', end);
    return line === -1 || line - end > partChars ? end : line + 1;
  }

  #readPlain(text: string, final: boolean): void {
    const pieces = sliceText(text);
    this.#openText = final ? '' : (pieces.pop() ?? '');
    for (const piece of pieces) {
      this.#close(textToken(piece), piece.length);
      this.#isJoined = true;
    }
    if (this.#openText !== '') this.#show(textToken(this.#openText), this.#isJoined);
  }

  get #last(): Part {
    const last = this.parts.at(-1);
    if (last === undefined) throw new Error('A stream has at least one part.');
    return last;
  }

  #dropOpen(): void {
    if (this.#open > 0) this.#last.blocks.splice(-this.#open);
    this.#open = 0;
  }

  #close(token: Token, length: number, at = -1): void {
    if (token.type === 'space') return;
    const joined = this.#isJoined || joinedTokens.has(token);
    this.#isJoined = false;
    const pieces = dividePieces(token) ?? textPieces(token.raw);
    for (const [place, piece] of pieces.entries()) {
      const chars = pieces.length === 1 ? length : piece.token.raw.length;
      const where = at < 0 || piece.at < 0 ? -1 : at + piece.at;
      this.#put({ token: piece.token, isJoined: joined || place > 0, at: where }, chars);
    }
  }

  #put(block: Block, chars: number): void {
    const elements = elementsOf(block.token);
    const { blocks, chars: before, elements: there } = this.#last;
    const isFull = before >= partChars || blocks.length >= partBlocks;
    if (isFull || (blocks.length > 0 && there + elements > partElements)) this.parts.push(newPart());
    this.#last.blocks.push(block);
    this.#last.chars += chars;
    this.#last.lines += block.token.raw.split('\n').length;
    this.#last.elements += elements;
    this.#last.revision += 1;
  }

  #show(token: Token, isJoined = false): void {
    if (token.type === 'space') return;
    this.#last.blocks.push({ token, isJoined, at: -1, open: true });
    this.#open += 1;
  }

  /** Lexes the tail; true if it found an open fence, whose lines are then read one by one. */
  #readBlocks(final: boolean): boolean {
    if (this.#unparsedTail === '') return false;
    const tokens = lex(this.#unparsedTail);
    // What follows a block can still join it until another block separates them.
    const solid = tokens.flatMap((token, at) => (token.type === 'space' ? [] : [at]));
    const keep = final ? tokens.length : (solid.at(-2) ?? 0);
    for (const token of tokens.slice(0, keep)) {
      this.#close(token, token.raw.length, this.#characters - this.#unparsedTail.length);
      this.#unparsedTail = this.#unparsedTail.slice(token.raw.length);
    }
    const next = tokens[keep];
    if (keep > 0 && next !== undefined) this.#isJoined = joinedTokens.has(next);
    if (final) {
      this.#unparsedTail = '';
      return false;
    }
    const last = tokens.at(-1);
    const fence = last === undefined ? undefined : openFence(last, this.#unparsedTail);
    if (fence !== undefined && last !== undefined) {
      this.#closeAll(tokens.slice(keep, -1));
      this.#fence = fence;
      this.#unparsedTail = this.#unparsedTail.slice(
        this.#unparsedTail.length - last.raw.length + openingLength(last.raw),
      );
      return true;
    }
    const isHeavy = tokens.slice(keep).reduce((sum, token) => sum + elementsOf(token), 0) > tailElements;
    if (this.#unparsedTail.length > longestTail || isHeavy) return this.#cutTail();
    for (const token of tokens.slice(keep)) this.#show(token, this.#isJoined || joinedTokens.has(token));
    return false;
  }

  /** Closes blocks at the beginning of the tail, which stays as it is. */
  #closeAll(tokens: readonly Token[]): void {
    let at = this.#characters - this.#unparsedTail.length;
    for (const token of tokens) {
      this.#close(token, token.raw.length, at);
      at += token.raw.length;
    }
  }

  #cutTail(): boolean {
    const at = lastBreak(this.#unparsedTail.slice(0, longestTail));
    const length = at > 0 ? at : longestTail;
    this.#closeAll(lex(this.#unparsedTail.slice(0, length)));
    this.#unparsedTail = this.#unparsedTail.slice(length);
    this.#isJoined = at <= 0;
    return true;
  }

  /** Reads lines of an open code block; true if it ended and Markdown continues. */
  #readFence(final: boolean): boolean {
    const fence = this.#fence;
    if (fence === undefined) return false;
    let at = 0;
    for (let end = this.#unparsedTail.indexOf('\n', at); end !== -1; end = this.#unparsedTail.indexOf('\n', at)) {
      const line = this.#unparsedTail.slice(at, end);
      at = end + 1;
      if (isClosingFence(line, fence.marker)) return this.#endFence(fence, at);
      fence.lines += `${line}\n`;
      if (fence.lines.length > longestTail) this.#cutFence(fence);
    }
    this.#unparsedTail = this.#unparsedTail.slice(at);
    if (final) {
      if (!isClosingFence(this.#unparsedTail, fence.marker)) fence.lines += this.#unparsedTail;
      return this.#endFence(fence, this.#unparsedTail.length);
    }
    const partial = fence.marker.startsWith(this.#unparsedTail.trim()) ? '' : this.#unparsedTail;
    this.#show(codeToken(fence, fence.lines + partial), fence.isJoined);
    return false;
  }

  #endFence(fence: Fence, at: number): boolean {
    this.#unparsedTail = this.#unparsedTail.slice(at);
    this.#cutFence(fence);
    this.#fence = undefined;
    this.#isJoined = false;
    return true;
  }

  #cutFence(fence: Fence): void {
    if (fence.lines === '' && fence.isJoined) return;
    this.#isJoined = fence.isJoined;
    this.#close(codeToken(fence, fence.lines), fence.lines.length);
    fence.lines = '';
    fence.isJoined = true;
  }
}

/** Tokens that continue the token before them. */
const joinedTokens = new WeakSet<Token>();

/** The tokens of any text: what cannot be lexed within the limits becomes a token shown as text. */
function lex(text: string): Token[] {
  return markdownRuns(text).flatMap(({ text: run, isPlain, continuesPrevious }) => {
    // A failure of the lexer must not affect other messages.
    const tokens = (isPlain ? null : lexMarkdown(run)) ?? [textToken(run)];
    if (continuesPrevious && tokens[0] !== undefined) joinedTokens.add(tokens[0]);
    return tokens;
  });
}

function newPart(): Part {
  return { blocks: [], chars: 0, lines: 0, elements: 0, revision: 0 };
}

/** A block that is too large to draw, as text. */
function textPieces(text: string): readonly Piece[] {
  return sliceText(text).map((slice) => ({ token: textToken(slice), at: -1 }));
}

/** A text in pieces of the length of a part, without splitting surrogate pairs. */
function sliceText(text: string): string[] {
  const found: string[] = [];
  for (let from = 0; from < text.length;) {
    const end = from + partChars;
    const isHalf = end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1));
    found.push(text.slice(from, isHalf ? end - 1 : end));
    from = isHalf ? end - 1 : end;
  }
  return found;
}

function textToken(text: string): Token {
  return { type: 'html', raw: text, text, pre: false, block: true };
}

/** After the last line break before an unindented line, so that no list is split inside an item. */
function lastBreak(text: string): number {
  for (let at = text.lastIndexOf('\n'); at > 0; at = text.lastIndexOf('\n', at - 1)) {
    const next = text.charAt(at + 1);
    if (next !== '' && next.trim() !== '') return at + 1;
  }
  return 0;
}

function codeToken({ lang }: Fence, lines: string): Token {
  const text = lines.endsWith('\n') ? lines.slice(0, -1) : lines;
  return { type: 'code', raw: lines, text, lang };
}

const opening = /^ {0,3}(`{3,}|~{3,})([^\n]*)\n/;

function openingLength(raw: string): number {
  return opening.exec(raw)?.[0].length ?? 0;
}

/** The fence that `token`, the last of `text`, opened and did not close. */
function openFence(token: Token, text: string): Fence | undefined {
  if (token.type !== 'code' || !text.endsWith(token.raw)) return undefined;
  const [line, marker, info] = opening.exec(token.raw) ?? [];
  if (line === undefined || marker === undefined) return undefined;
  const body = token.raw.slice(line.length);
  if (body.split('\n').some((bodyLine) => isClosingFence(bodyLine, marker))) return undefined;
  return { marker, lang: info?.trim() ?? '', lines: '', isJoined: false };
}

function isClosingFence(line: string, marker: string): boolean {
  const trimmed = line.trim();
  return trimmed.length >= marker.length && trimmed === marker.charAt(0).repeat(trimmed.length) && !/^ {4}/.test(line);
}

/** The parts of a complete text. */
export function markdownParts(text: string): readonly Part[] {
  const stream = new MarkdownStream();
  stream.append(text);
  stream.update(true);
  return stream.parts;
}
