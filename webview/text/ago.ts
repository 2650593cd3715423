import { locale } from '../l10n.ts';

const steps = [
  ['second', 1000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['week', 7 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['year', 365 * 86_400_000],
] as const;

const formats = new Map<string | undefined, Intl.RelativeTimeFormat>();

/** An ISO 8601 time relative to `now`: `now`, `5 minutes ago`, `yesterday` by the calendar; empty for anything else. */
export function relativeTime(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  if (!Number.isFinite(ms)) return '';
  const past = Math.max(0, ms);
  const [unit, size] = steps.findLast(([, length]) => past >= length && (length > 1000 || past >= 60_000)) ?? steps[0];
  let format = formats.get(locale());
  if (format === undefined)
    formats.set(locale(), (format = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' })));
  if (unit === 'second') return format.format(0, unit);
  return format.format(-(unit === 'day' ? daysBetween(now - past, now) : Math.floor(past / size)), unit);
}

function daysBetween(from: number, to: number): number {
  const midnight = (time: number): number => new Date(time).setHours(0, 0, 0, 0);
  // A day may have 23 or 25 hours.
  return Math.round((midnight(to) - midnight(from)) / 86_400_000);
}
