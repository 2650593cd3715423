/** Local calendar day of an instant, such as `2026-11-21`. */
export function localDay(at: number | string): string {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Milliseconds from an instant to the start of the next local day. */
export function msToMidnight(at: number): number {
  return new Date(at).setHours(24, 0, 0, 0) - at;
}
