/** A range of time, `to` exclusive; `to` is never before `from`. */
export type Span = readonly [from: number, to: number];

/** The same time as ordered, separate spans, without empty ones. */
export function unionOf(spans: readonly Span[]): Span[] {
  const sorted = spans.filter(([from, to]) => to > from).sort((a, b) => a[0] - b[0]);
  const union: Span[] = [];
  for (const [from, to] of sorted) {
    const last = union.at(-1);
    if (last === undefined || from > last[1]) union.push([from, to]);
    else union[union.length - 1] = [last[0], Math.max(last[1], to)];
  }
  return union;
}

/** The part of `spans` that is not in `taken`; both from `unionOf`. */
export function subtractSpans(spans: readonly Span[], taken: readonly Span[]): Span[] {
  const left: Span[] = [];
  let at = 0;
  for (const [from, to] of spans) {
    let start = from;
    while (at > 0 && (taken[at - 1]?.[1] ?? -Infinity) > from) at -= 1;
    while ((taken[at]?.[1] ?? Infinity) <= from) at += 1;
    for (let next = at; start < to; next += 1) {
      const other = taken[next];
      if (other === undefined || other[0] >= to) break;
      if (other[0] > start) left.push([start, other[0]]);
      start = Math.max(start, other[1]);
    }
    if (start < to) left.push([start, to]);
  }
  return left;
}
