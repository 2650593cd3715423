import { visibleText } from '../../model/text/visibleText.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { Exporter, ExportSource, ExportTools } from './shared/source.ts';

/** Characters of one data block, roughly: a parser need not hold all of them at once. */
const blockLength = 1 << 20;

/**
 * The panel as one file, which loads nothing. It contains the session and its children as data (`ExportedSession` in
 * src/pages), and its policy permits only its own script.
 */
export const html: Exporter = {
  async *write(source, tools) {
    const [before = '', after = ''] = (await tools.page()).split('<!--session-->');
    const { summary, children } = source;
    yield before.replace('<!--title-->', () => escapeHtml(summary.title ?? summary.session_id));
    yield* blocksOf(source, tools);
    if (children !== undefined) {
      for await (const child of children.sources()) yield* blocksOf(child, tools);
      yield block('omitted', children.omitted());
    }
    yield block('masks', tools.masks());
    yield after;
  },
};

/** One session: the block `session`, then its entries. */
async function* blocksOf(source: ExportSource, { version, at }: ExportTools): AsyncGenerator<string> {
  const { summary, runs, results, figures } = source;
  yield block('session', { summary, runs, results, figures: (await figures?.()) ?? [], version, exportedAt: at });
  for await (const entries of batchesOf(source.entries())) yield block('entries', entries);
}

async function* batchesOf(entries: AsyncIterable<NormalizedEntry>): AsyncGenerator<NormalizedEntry[]> {
  let block: NormalizedEntry[] = [];
  let length = 0;
  for await (const entry of entries) {
    block.push(entry);
    length += JSON.stringify(entry).length;
    if (length < blockLength) continue;
    yield block;
    block = [];
    length = 0;
  }
  yield block;
}

/** JSON in which nothing can end the block, or begin another element. */
function block(part: string, data: unknown): string {
  const json = JSON.stringify(data).replaceAll('<', String.raw`\u003c`);
  return `<script type="application/json" data-part="${part}">${json}</script>\n`;
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes foreign text, and shows invisible characters by their codes. */
function escapeHtml(text: string): string {
  return visibleText(text).replaceAll(/[&<>]/g, (sign) => escapes[sign] ?? sign);
}
