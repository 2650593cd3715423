import type { MarkedToken, Token, Tokens } from 'marked';
import { pieces } from '../../src/protocol/panel/pageModel.ts';

/** A list or paragraph with more elements is divided. */
const maxOfBlock = 200;
/** A larger table is divided; the columns of one part are aligned. */
const maxOfTable = 600;
/** Larger blocks that cannot be divided are shown as text. */
const maxOfWhole = 600;

const notAscii = /[^\n\t -~]/;
/** Each of these creates at most two elements. A text without them is one paragraph. */
const marks = /[\n*_~`[\]!<&|@#>+=-]|\d[.)]|www\.|:\/\//g;
/** Token starts, which are rare in ordinary text and code. */
const tokenStarts = /[*_~`[\]!<&|@]|www\.|:\/\/|\n(?: {4}|\t| *[#>+-]| *\d+[.)])|(?: {2}|\\)\n/g;

/** At least half of the elements that this text needs; cheap. */
export function marksIn(text: string): number {
  return (text.match(marks)?.length ?? 0) + countHidden(text);
}

/** Counts token starts, up to `most`. `end`: after the last counted one, or the end of the text. */
export function countTokenStarts(text: string, most: number): { readonly count: number; readonly end: number } {
  let count = 0;
  for (const { index } of text.matchAll(tokenStarts)) {
    if (count >= most) return { count, end: index };
    count += 1;
  }
  return { count, end: text.length };
}

/** Invisible characters are written out, each in an element. */
function countHidden(text: string): number {
  return notAscii.test(text) ? pieces(text).length - 1 : 0;
}

/** Approximate number of elements for a block. */
export function elementsOf(token: Token): number {
  return countOf(token) + countHidden(token.raw);
}

const ownElements: Readonly<Partial<Record<MarkedToken['type'], number>>> = {
  text: 0,
  escape: 0,
  space: 0,
  image: 3,
  code: 6,
};

function countOf(token: Token): number {
  if (isTable(token)) return countAll([...token.header, ...token.rows.flat()]);
  if (isList(token)) return 1 + token.items.reduce((sum, item) => sum + countOfItem(item), 0);
  const type: Readonly<Record<string, number | undefined>> = ownElements;
  const own = type[token.type] ?? 1;
  return own + ('tokens' in token ? (token.tokens ?? []) : []).reduce((sum, child) => sum + countOf(child), 0);
}

function countAll(cells: readonly Tokens.TableCell[]): number {
  return cells.reduce((sum, { tokens }) => sum + 1 + tokens.reduce((inner, token) => inner + countOf(token), 0), 0);
}

function countOfItem({ task, tokens }: Tokens.ListItem): number {
  return (task ? 2 : 1) + tokens.reduce((sum, token) => sum + countOf(token), 0);
}

/** A part of a block. `at`: position of its `raw` in that of the block; -1 if it is not part of it. */
export interface Piece {
  readonly token: Token;
  readonly at: number;
}

/**
 * Divides a block into ones that are small enough to draw: lists by item, tables by row, paragraphs by inline token. `null`
 * if it is too large and cannot be divided.
 */
export function dividePieces(token: Token): readonly Piece[] | null {
  const elements = elementsOf(token);
  if (elements <= (isTable(token) ? maxOfTable : maxOfBlock)) return [{ token, at: 0 }];
  const found = divide(token);
  return found.some((piece) => elementsOf(piece.token) > (isTable(token) ? 2 * maxOfTable : maxOfWhole)) ? null : found;
}

function divide(token: Token): readonly Piece[] {
  if (isList(token)) return listPieces(token);
  if (isTable(token)) return tablePieces(token);
  if (token.type === 'paragraph' || token.type === 'heading') return linePieces(token);
  return [{ token, at: 0 }];
}

/** In order, as many as fit into this many elements; at least one. */
function groupBySize<T>(all: readonly T[], sizeOf: (one: T) => number, most: number): readonly (readonly T[])[] {
  const found: T[][] = [];
  let size = Infinity;
  for (const one of all) {
    const own = sizeOf(one);
    if (size + own > most) {
      found.push([]);
      size = 0;
    }
    found.at(-1)?.push(one);
    size += own;
  }
  return found;
}

function listPieces(list: Tokens.List): readonly Piece[] {
  let [at, number] = [0, 0];
  return groupBySize(list.items, (item) => countOfItem(item) + countHidden(item.raw), maxOfBlock).map((items) => {
    const raw = items.map((item) => item.raw).join('');
    const start = list.start === '' ? '' : list.start + number;
    const piece: Piece = { token: { ...list, items: [...items], raw, start }, at };
    at += raw.length;
    number += items.length;
    return piece;
  });
}

/** Each with the header; positions of rows after the first piece are unknown. */
function tablePieces(table: Tokens.Table): readonly Piece[] {
  const most = Math.max(1, maxOfBlock - countAll(table.header));
  return groupBySize(table.rows, countAll, most).map((rows, place) => ({
    token: { ...table, rows: [...rows] },
    at: place === 0 ? 0 : -1,
  }));
}

function linePieces(token: Token): readonly Piece[] {
  const tokens = 'tokens' in token ? (token.tokens ?? []) : [];
  const text = 'text' in token && typeof token.text === 'string' ? token.text : '';
  const from = token.raw.indexOf(text);
  const isInPlace = from >= 0 && tokens.map(({ raw }) => raw).join('') === text;
  let at = from;
  return groupBySize(tokens, elementsOf, maxOfBlock).map((inside) => {
    const raw = inside.map((part) => part.raw).join('');
    const piece: Piece = { token: { ...token, raw, text: raw, tokens: [...inside] }, at: isInPlace ? at : -1 };
    at += raw.length;
    return piece;
  });
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list';
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table';
}
