/**
 * Keys of rows, always the same string object: a new one would have to be hashed at each lookup, for every row of the list.
 */
const [turns, ends, gaps, entries] = [
  new Map<string, string>(),
  new Map<string, string>(),
  new Map<number, string>(),
  new Map<number, string>(),
];

export const turnKey = (runId: string): string => cachedKey(turns, 't:', runId);
export const endKey = (runId: string): string => cachedKey(ends, 'x:', runId);
export const gapKey = (from: number): string => cachedKey(gaps, 'p:', from);

export function entryKey(index: number, part = 0): string {
  const key = cachedKey(entries, 'e:', index);
  return part === 0 ? key : `${key}.${part}`;
}

/** Index of the entry that a row shows, or of the first in its group. */
export function entryOfKey(key: string): number | undefined {
  const index = /^(?:h:)?[eg]:(\d+)/.exec(key)?.[1];
  return index === undefined ? undefined : Number(index);
}

function cachedKey<T extends string | number>(known: Map<T, string>, prefix: string, of: T): string {
  const before = known.get(of);
  if (before !== undefined) return before;
  const key = `${prefix}${of}`;
  known.set(of, key);
  return key;
}
