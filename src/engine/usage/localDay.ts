/** The calendar day of an instant as `2026-11-21`, in the time zone of this machine. */
export function localDay(at: number | string): string {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Milliseconds from an instant until the next calendar day begins on this machine. */
export function msToMidnight(at: number): number {
  return new Date(at).setHours(24, 0, 0, 0) - at;
}
