/** For each line of `next` its index in `before`, in order, or -1 for a new line. */
export function unchangedLines(before: readonly string[], next: readonly string[]): Int32Array {
  const saved = new Int32Array(next.length).fill(-1);
  let start = 0;
  while (start < before.length && start < next.length && before[start] === next[start]) saved[start] = start++;
  let ends = 0;
  while (
    ends < before.length - start &&
    ends < next.length - start &&
    before[before.length - 1 - ends] === next[next.length - 1 - ends]
  ) {
    ends += 1;
    saved[next.length - ends] = before.length - ends;
  }
  const middle = [start, before.length - ends, start, next.length - ends] as const;
  alignLines(before, next, middle, saved);
  return saved;
}

type DiffRange = readonly [beforeFrom: number, beforeTo: number, nextFrom: number, nextTo: number];

/** Smaller regions are compared line by line. */
const smallBox = 250_000;

/**
 * Lines that are unique on both sides are anchors (patience diff). Between them, small regions are compared in full; large
 * regions without anchors count as different. Uses a stack, because the file decides the depth.
 */
function alignLines(before: readonly string[], next: readonly string[], whole: DiffRange, saved: Int32Array): void {
  const boxes: DiffRange[] = [whole];
  for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
    const [b0, b1, n0, n1] = box;
    if (b0 >= b1 || n0 >= n1) continue;
    const anchors = ascending(uniquePairs(before, next, box));
    if (anchors.length === 0) {
      if ((b1 - b0) * (n1 - n0) <= smallBox) longestCommon(before, next, box, saved);
      continue;
    }
    let [b, n] = [b0, n0];
    for (const [inBefore, inNext] of anchors) {
      saved[inNext] = inBefore;
      boxes.push([b, inBefore, n, inNext]);
      [b, n] = [inBefore + 1, inNext + 1];
    }
    boxes.push([b, b1, n, n1]);
  }
}

type Pair = readonly [inBefore: number, inNext: number];

/** In the order of `next`. */
function uniquePairs(before: readonly string[], next: readonly string[], [b0, b1, n0, n1]: DiffRange): Pair[] {
  const places = new Map<string, number>();
  const twice = -1;
  for (let at = b0; at < b1; at += 1) places.set(before[at] ?? '', places.has(before[at] ?? '') ? twice : at);
  const seen = new Map<string, number>();
  for (let at = n0; at < n1; at += 1) seen.set(next[at] ?? '', seen.has(next[at] ?? '') ? twice : at);
  return [...seen].flatMap(([line, at]): Pair[] => {
    const place = places.get(line) ?? twice;
    return at === twice || place === twice ? [] : [[place, at]];
  });
}

/** The longest run of pairs that ascends on both sides. */
function ascending(pairs: readonly Pair[]): Pair[] {
  const tails: number[] = [];
  const previous = new Int32Array(pairs.length).fill(-1);
  for (const [at, [value]] of pairs.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? 0]?.[0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    previous[at] = low === 0 ? -1 : (tails[low - 1] ?? -1);
    tails[low] = at;
  }
  const chain: Pair[] = [];
  for (let at = tails.at(-1) ?? -1; at !== -1; at = previous[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) chain.push(pair);
  }
  return chain.reverse();
}

function longestCommon(
  before: readonly string[],
  next: readonly string[],
  [b0, b1, n0, n1]: DiffRange,
  saved: Int32Array,
): void {
  const width = n1 - n0 + 1;
  const lengths = new Uint16Array((b1 - b0 + 1) * width);
  const length = (b: number, n: number): number => lengths[(b - b0) * width + (n - n0)] ?? 0;
  for (let b = b1 - 1; b >= b0; b -= 1) {
    for (let n = n1 - 1; n >= n0; n -= 1) {
      const same = before[b] === next[n];
      lengths[(b - b0) * width + (n - n0)] = same
        ? length(b + 1, n + 1) + 1
        : Math.max(length(b + 1, n), length(b, n + 1));
    }
  }
  let [b, n] = [b0, n0];
  while (b < b1 && n < n1) {
    if (before[b] === next[n]) saved[n++] = b++;
    else if (length(b + 1, n) >= length(b, n + 1)) b += 1;
    else n += 1;
  }
}

/** Numbers of added and removed lines. */
export function changedLines(before: readonly string[], next: readonly string[]): { added: number; removed: number } {
  const same = unchangedLines(before, next).reduce((count, at) => count + (at === -1 ? 0 : 1), 0);
  return { added: next.length - same, removed: before.length - same };
}
