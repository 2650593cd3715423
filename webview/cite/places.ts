import type { Token } from 'marked';
import type { PageLink } from '../../src/protocol/panel/evidence.ts';
import type { Part } from '../markdown/blocks.ts';
import { entities } from '../markdown/entities.ts';
import { type TextNode, textNodesOf } from './textNodes.ts';

/** A range of shown text, with its links and those whose number follows it. */
export interface Piece {
  readonly text: string;
  readonly links: readonly PageLink[];
  readonly ends: readonly PageLink[];
}

export interface LinkPlaces {
  /** By token; a token without links is not included. */
  readonly pieces: ReadonlyMap<Token, readonly Piece[]>;
  /** The part of the message with each link's number, by the link's `at`. */
  readonly parts: ReadonlyMap<number, number>;
  /** Links without a position in the shown text, or about the whole message. */
  readonly rest: readonly PageLink[];
}

/** Texts that one link may mark. */
const maxMarked = 1000;

interface Mark {
  readonly link: PageLink;
  readonly from: number;
  readonly to: number;
  readonly isLast: boolean;
}

/** Positions of a message's links in its shown text; `content` is the text of the parts. */
export function placeLinks(parts: readonly Part[], content: string, links: readonly PageLink[]): LinkPlaces {
  const textNodes = parts.flatMap(({ blocks }, part) => blocks.flatMap(textNodesOf).map((leaf) => ({ leaf, part })));
  const marks = new Map<TextNode, Mark[]>();
  const partsOf = new Map<number, number>();
  const rest: PageLink[] = [];
  const shift = unixOffsets(content, links);
  for (const [place, link] of links.entries()) {
    const [start = 0, end = 0] = shift[place] ?? [];
    // An empty range belongs to a source for no words of the text.
    const found = start >= end || isWhole(link, content) ? [] : marksOf(textNodes, link, start, end);
    for (const { leaf, mark } of found) {
      const own = marks.get(leaf);
      if (own === undefined) marks.set(leaf, [mark]);
      else own.push(mark);
    }
    const last = found.at(-1);
    if (last === undefined) rest.push(link);
    else partsOf.set(link.at, last.part);
  }
  const pieces = new Map([...marks].map(([leaf, own]) => [leaf.token, piecesOf(leaf, own)]));
  return { pieces, parts: partsOf, rest };
}

function isWhole({ range: [start, end] }: PageLink, content: string): boolean {
  return start <= 0 && end >= content.trimEnd().length && content.length > 0 && end - start > 200;
}

interface FoundMark {
  readonly leaf: TextNode;
  readonly part: number;
  readonly mark: Mark;
}

function marksOf(
  textNodes: readonly { leaf: TextNode; part: number }[],
  link: PageLink,
  start: number,
  end: number,
): FoundMark[] {
  const found: Omit<FoundMark, 'mark'>[] = [];
  const ranges: (readonly [number, number])[] = [];
  for (let place = findFirstAfter(textNodes, start); place < textNodes.length && found.length < maxMarked; place++) {
    const node = textNodes[place];
    if (node === undefined || node.leaf.start >= end) break;
    const range = node.leaf.map.between(start, end);
    if (range === undefined) continue;
    found.push(node);
    ranges.push(node.leaf.isWhole ? [0, node.leaf.raw.length] : range);
  }
  return found.map((mark, at) => {
    const [from, to] = ranges[at] ?? [0, 0];
    return { ...mark, mark: { link, from, to, isLast: at === found.length - 1 } };
  });
}

/** Text nodes are in text order. */
function findFirstAfter(textNodes: readonly { leaf: TextNode }[], start: number): number {
  let low = 0;
  let high = textNodes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((textNodes[middle]?.leaf.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  return low;
}

function piecesOf({ token, raw, isWhole: whole }: TextNode, marks: readonly Mark[]): Piece[] {
  const shownText = whole || token.type === 'codespan' ? textOf(token, raw) : entities(raw);
  const cuts = [...new Set([0, raw.length, ...marks.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  const texts = cuts.slice(0, -1).map((from, at) => {
    const text = raw.slice(from, cuts[at + 1]);
    return token.type === 'codespan' ? text : entities(text);
  });
  // Cutting a character reference would show another text.
  if (whole || texts.join('') !== shownText) {
    const links = marks.map(({ link }) => link);
    return [{ text: shownText, links, ends: marks.filter(({ isLast }) => isLast).map(({ link }) => link) }];
  }
  return texts.map((text, at): Piece => {
    const from = cuts[at] ?? 0;
    const to = cuts[at + 1] ?? raw.length;
    return {
      text,
      links: marks.filter((mark) => mark.from <= from && mark.to >= to).map(({ link }) => link),
      ends: marks.filter((mark) => mark.isLast && mark.to === to).map(({ link }) => link),
    };
  });
}

function textOf(token: Token, raw: string): string {
  return 'text' in token && typeof token.text === 'string' ? token.text : raw;
}

/** The ranges of links in a text with single-character line breaks, as the page parses it. */
function unixOffsets(content: string, links: readonly PageLink[]): (readonly [number, number])[] {
  if (!content.includes('\r\n')) return links.map(({ range }) => range);
  const boundaries = [...new Set(links.flatMap(({ range }) => range))].sort((a, b) => a - b);
  const offsets = new Map<number, number>();
  let removed = 0;
  let next = content.indexOf('\r\n');
  for (const offset of boundaries) {
    while (next !== -1 && next < offset) {
      removed += 1;
      next = content.indexOf('\r\n', next + 2);
    }
    offsets.set(offset, offset - removed);
  }
  return links.map(({ range: [start, end] }) => [offsets.get(start) ?? 0, offsets.get(end) ?? 0]);
}
