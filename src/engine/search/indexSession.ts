import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { factsOf, textsOf } from '../../insight/search/facts.ts';
import { wordsIn } from '../../insight/search/tokens.ts';
import type { NormalizedEntry } from '../../model/entry.ts';
import { isSynthetic } from '../../model/synthetic.ts';
import type { RecordReader } from '../record/contract.ts';
import { packedForm } from '../record/packed.ts';
import type { IndexStore, Part, SessionIndex } from './indexStore.ts';
import { fieldTerm, syntheticTerm } from './segment.ts';
import { SegmentBuilder } from './segmentBuilder.ts';

/** Entries read at once. */
const chunk = 50;
/** Characters of an entry that can be found. */
const mostCharacters = 64 * 1024;
/** Postings after which a part is closed: bounds the memory of making one, and what is made again when a session grows. */
const mostPostings = 100_000;
/** Milliseconds of work before others get their turn. */
const slice = 8;

/** The state of a record's file, to be compared with what was indexed. */
export async function stampOf(file: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(file).catch(() => stat(packedForm(file)));
  return [ino, size, mtimeMs].join(':');
}

/**
 * Reads what a record has more than `known` and writes it as parts. A record that only grew keeps its closed parts: what is
 * put again later is near its end. @throws the reason of the signal
 */
export async function indexSession(
  reader: RecordReader,
  stamp: string,
  known: SessionIndex | undefined,
  store: IndexStore,
  signal: AbortSignal | undefined,
): Promise<SessionIndex> {
  const parts: Part[] = known === undefined || !grew(known.stamp, stamp) ? [] : known.parts.slice(0, -1);
  let from = parts.at(-1)?.to ?? 0;
  let builder = new SegmentBuilder();
  let [words, cut] = [0, 0];
  let since = performance.now();
  const close = async (to: number): Promise<void> => {
    const partStamp = `${stamp}/${from}-${to}`;
    await store.write(reader.id, parts.length, builder.build(reader.id, partStamp));
    parts.push({ from, to, stamp: partStamp, words, cut });
    builder = new SegmentBuilder();
    [from, words, cut] = [to, 0, 0];
  };
  for (let at = from; at < reader.total; at += chunk) {
    for (const entry of await reader.read(at, at + chunk)) {
      signal?.throwIfAborted();
      const { length, wasCut } = addEntry(builder, entry);
      words += length;
      if (wasCut) cut += 1;
      if (builder.size > mostPostings) await close(entry.index + 1);
      if (performance.now() - since < slice) continue;
      await setImmediate();
      since = performance.now();
    }
  }
  if (!builder.isEmpty) await close(reader.total);
  return { stamp, damaged: reader.problems.length > 0, parts };
}

/** Whether the same file became longer. */
function grew(before: string, now: string): boolean {
  const [ino, size = ''] = before.split(':');
  const [inoNow, sizeNow = ''] = now.split(':');
  return ino === inoNow && Number(sizeNow) > Number(size);
}

function addEntry(builder: SegmentBuilder, entry: NormalizedEntry): { length: number; wasCut: boolean } {
  const words = new Map<string, number>();
  let length = 0;
  let left = mostCharacters;
  let wasCut = false;
  for (const text of textsOf(entry)) {
    if (text.length > left) wasCut = true;
    for (const word of wordsIn(text.slice(0, left))) {
      words.set(word, (words.get(word) ?? 0) + 1);
      length += 1;
    }
    left = Math.max(0, left - text.length);
  }
  const { kinds, tool, paths, state } = factsOf(entry);
  const fields = [
    ...kinds.map((kind) => fieldTerm('kind', kind)),
    ...(tool === null ? [] : [fieldTerm('tool', tool.toLowerCase())]),
    ...paths.map((each) => fieldTerm('file', each.toLowerCase())),
    ...(state === null ? [] : [fieldTerm('state', state)]),
    ...(isSynthetic(entry) ? [syntheticTerm] : []),
  ];
  builder.add(entry.index, length, words, [...new Set(fields)]);
  return { length, wasCut };
}
