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
 * Reads what a record has more than `known` and writes it as parts. A record that only grew keeps its closed parts, except
 * those with entries that settled or changed since. @throws the reason of the signal
 */
export async function indexSession(
  reader: RecordReader,
  stamp: string,
  known: SessionIndex | undefined,
  store: IndexStore,
  signal: AbortSignal | undefined,
): Promise<SessionIndex> {
  const parts: Part[] = known === undefined || !grew(known.stamp, stamp) ? [] : known.parts.slice(0, -1);
  let builder = new SegmentBuilder();
  let [words, cut] = [0, 0];
  let since = performance.now();
  const close = async (place: number, from: number, to: number): Promise<void> => {
    const partStamp = `${stamp}/${from}-${to}`;
    await store.write(reader.id, place, builder.build(reader.id, partStamp));
    parts[place] = { from, to, stamp: partStamp, words, cut };
    builder = new SegmentBuilder();
    [words, cut] = [0, 0];
  };
  const add = async (entry: NormalizedEntry): Promise<void> => {
    signal?.throwIfAborted();
    const { length, wasCut } = addEntry(builder, entry);
    words += length;
    if (wasCut) cut += 1;
    if (performance.now() - since < slice) return;
    await setImmediate();
    since = performance.now();
  };
  for (const place of await stalePlaces(reader, parts, known)) {
    const { from = 0, to = 0 } = parts[place] ?? {};
    for (let at = from; at < to; at += chunk) {
      for (const entry of await reader.read(at, Math.min(at + chunk, to))) await add(entry);
    }
    await close(place, from, to);
  }
  let from = parts.at(-1)?.to ?? 0;
  for (let at = from; at < reader.total; at += chunk) {
    for (const entry of await reader.read(at, at + chunk)) {
      await add(entry);
      if (builder.size <= mostPostings) continue;
      await close(parts.length, from, entry.index + 1);
      from = entry.index + 1;
    }
  }
  if (!builder.isEmpty) await close(parts.length, from, reader.total);
  return { stamp, damaged: reader.problems.length > 0, parts };
}

/** Parts with an entry that was open or another one when they were made: a long call settles long after those behind it. */
async function stalePlaces(
  reader: RecordReader,
  parts: readonly Part[],
  known: SessionIndex | undefined,
): Promise<number[]> {
  if (known === undefined || parts.length === 0) return [];
  const stale = new Set<number>();
  let place = 0;
  for (const index of await reader.changedSince(sizeOf(known.stamp))) {
    while (place < parts.length && index >= (parts[place]?.to ?? 0)) place += 1;
    if (place === parts.length) break;
    stale.add(place);
  }
  return [...stale];
}

/** Whether the same file became longer. */
function grew(before: string, now: string): boolean {
  return before.split(':')[0] === now.split(':')[0] && sizeOf(now) > sizeOf(before);
}

/** The size that the record had. */
function sizeOf(stamp: string): number {
  return Number(stamp.split(':')[1] ?? 0);
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
