import { writeFile } from 'node:fs/promises';
import { findSecrets } from '../../src/formats/redaction/scan.ts';
import { mentionsIn } from '../../src/insight/citations/claims/scan.ts';
import { changedLines } from '../../src/insight/files/lineDiff.ts';
import {
  mentionPieces,
  recordPieces,
  repeatTo,
  secretPieces,
  terminalPieces,
} from '../../test/support/hostile/growing.ts';
import { aSession, sessionId, temporaryStore } from '../../test/support/sessions/records.ts';
import type { PageLink } from '../../src/protocol/panel/evidence.ts';
import { placeLinks } from '../../webview/cite/places.ts';
import { markdownParts } from '../../webview/markdown/blocks.ts';
import { withColorsOnly, withoutTerminalCodes } from '../../webview/text/visible.ts';
import { compare, type Row } from '../harness.ts';

/** Sizes to compare: a ratio of 4 means linear growth, 16 quadratic growth. */
const factor = 4;
const goal = 8;

interface Growing {
  readonly name: string;
  /** Inputs; the worst one counts. */
  readonly pieces: readonly string[];
  /** Smaller size. */
  readonly size: number;
  readonly work: (piece: string, size: number) => unknown;
}

const growing: readonly Growing[] = [
  {
    name: 'claims in texts made to take long',
    pieces: mentionPieces,
    size: 100_000,
    work: (piece, size) => mentionsIn(repeatTo(piece, size)),
  },
  {
    name: 'secrets in texts made to take long',
    pieces: Object.values(secretPieces),
    size: 500_000,
    work: (piece, size) => findSecrets(repeatTo(piece, size)),
  },
  {
    name: 'terminal codes made to take long',
    pieces: terminalPieces,
    size: 500_000,
    work: (piece, size) => [withoutTerminalCodes, withColorsOnly].map((clean) => clean(repeatTo(piece, size))),
  },
  {
    name: 'places of links in a message',
    pieces: ['The file is at `src/a.ts` and **so** on, as [said](https://a.b).\n\n'],
    size: 250_000,
    work: (piece, size) => placed(repeatTo(piece, size), piece.length),
  },
  {
    name: 'lines of files that have nothing in common',
    pieces: ['line '],
    size: 25_000,
    work: (piece, size) => changedLines(lines(`old ${piece}`, size), lines(`new ${piece}`, size)),
  },
];

function lines(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${word} ${at % 7}`);
}

function placed(content: string, paragraph: number): number {
  const links: PageLink[] = [];
  for (let at = 0; at < content.length; at += paragraph) {
    links.push({ at: links.length, number: links.length + 1, status: 'found', range: [at + 4, at + 8] });
  }
  return placeLinks(markdownParts(content), content, links).parts.size;
}

async function worst({ name, pieces, size, work }: Growing, turns: number): Promise<Row> {
  const all = [];
  for (const piece of pieces) {
    const { ratio, subject, baseline } = await compare(
      () => work(piece, factor * size),
      () => work(piece, size),
      turns,
    );
    const reported = `${subject.toFixed(0)} ms and ${baseline.toFixed(0)} ms`;
    all.push({
      value: ratio,
      detail: pieces.length > 1 ? `${reported} for ${JSON.stringify(piece.slice(0, 20))}` : reported,
    });
  }
  const found = all.toSorted((a, b) => b.value - a.value)[0] ?? { value: NaN, detail: '' };
  return { name: `growth: ${name}`, unit: '×', goal, ...found };
}

export async function growth(turns = 5): Promise<Row[]> {
  const rows: Row[] = [];
  for (const record of growing) rows.push(await worst(record, turns));
  const { store, remove } = await temporaryStore();
  try {
    await (await store.create(aSession())).close();
    const read = async (piece: string, size: number): Promise<void> => {
      await writeFile(store.path(sessionId), Buffer.alloc(size, piece));
      const reader = await store.openReader(sessionId);
      for await (const line of reader.lines()) throw new Error(`found ${JSON.stringify(line)} in ${piece}`);
      await reader.close();
    };
    const damaged = { name: 'records of nothing but damage', pieces: recordPieces, size: 1_000_000, work: read };
    rows.push(await worst(damaged, turns));
  } finally {
    await remove();
  }
  return rows;
}
