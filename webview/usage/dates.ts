import { locale } from '../l10n.ts';

/** `2026-11` as `November 2026`. */
export function monthText(month: string): string {
  return date(`${month}-01`).toLocaleDateString(locale(), { month: 'long', year: 'numeric', timeZone: 'UTC' });
}

/** `2026-11-21` as `Sat, Nov 21`. */
export function dayText(day: string): string {
  return date(day).toLocaleDateString(locale(), { weekday: 'short', month: 'short', day: 'numeric', timeZone: 'UTC' });
}

/** The month `by` months after `month` (before, if negative). */
export function addMonths(month: string, by: number): string {
  const at = date(`${month}-01`);
  at.setUTCMonth(at.getUTCMonth() + by);
  return at.toISOString().slice(0, 7);
}

/** A calendar day is the same everywhere, whatever the time zone. */
function date(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}
