import { locale, t } from '../l10n.ts';

/** US dollars to the last digit that was reported, without an exponent. */
export function exactUsd(usd: number): string {
  const text = String(usd);
  return text.includes('e') ? usd.toFixed(20).replace(/0+$/, '').replace(/\.$/, '') : text;
}

/** US dollars for reading: cents, or up to four significant digits below one cent. Nothing but 0 reads as 0. */
export function usd(amount: number): string {
  if (amount === 0) return '$0.00';
  if (amount < 0.01) {
    const digits = Math.max(2, 3 - Math.floor(Math.log10(amount)));
    return `$${trimZeros(amount.toFixed(Math.min(20, digits)))}`;
  }
  return `$${amount.toFixed(2)}`;
}

function trimZeros(text: string): string {
  return text.replace(/(\.\d{2}\d*?)0+$/, '$1');
}

/** Milliseconds as `0.4s`, `41.3s`, `2m 58s`, `1h 04m`. */
export function duration(ms: number): string {
  if (ms < 60_000) return `${(Math.max(0, ms) / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${pad(Math.floor((seconds % 3600) / 60))}m`;
}

/** Milliseconds as a running clock: `0:42`, `12:05`, `1:02:05`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const rest = pad(seconds % 60);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${rest}`;
  return `${Math.floor(seconds / 3600)}:${pad(Math.floor((seconds % 3600) / 60))}:${rest}`;
}

const pad = (value: number): string => String(value).padStart(2, '0');

/** Formats of the reader's language; making one takes longer than everything it is used for. */
class Formats {
  readonly of = locale();
  readonly number = new Intl.NumberFormat(this.of);
  readonly compact = new Intl.NumberFormat(this.of, { notation: 'compact', maximumSignificantDigits: 3 });
  readonly time = new Intl.DateTimeFormat(this.of, { timeStyle: 'medium', hour12: false });
  readonly dateTime = new Intl.DateTimeFormat(this.of, { dateStyle: 'short', timeStyle: 'medium' });
}
let made: Formats | undefined;

function formats(): Formats {
  if (made === undefined || made.of !== locale()) made = new Formats();
  return made;
}

export function number(value: number): string {
  return formats().number.format(value);
}

/** Three digits at most: `164K`. */
export function compact(value: number): string {
  return formats().compact.format(value);
}

export function bytes(count: number): string {
  if (count < 1000) return t('{0} B', count);
  if (count < 1_000_000) return t('{0} KB', Math.round(count / 1000));
  return t('{0} MB', (count / 1_000_000).toFixed(1));
}

/** Time of day of an ISO 8601 time; empty for anything else. */
export function time(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.valueOf()) ? '' : formats().time.format(date);
}

/** Date and time of an ISO 8601 time, for tooltips; the text itself where it is none. */
export function dateTime(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.valueOf()) ? iso : formats().dateTime.format(date);
}

/** Milliseconds between two ISO 8601 times, if both are known. */
export function between(from: string | undefined, to: string | undefined): number | undefined {
  if (from === undefined || to === undefined) return undefined;
  const ms = Date.parse(to) - Date.parse(from);
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
