import { NumberFormat } from '../../src/text/numberFormat.ts';
import { locale } from '../l10n.ts';

export function usd(amount: number): string {
  return formats().figures.money(amount);
}

/** The amount for programs that read the page: rounded, without an exponent. */
export function plainUsd(amount: number): string {
  const text = String(Number(amount.toPrecision(12)));
  return text.includes('e') ? amount.toFixed(20).replace(/\.?0+$/, '') : text;
}

/** Milliseconds as `0.4 s`, `2 min 58 s`. */
export function duration(ms: number): string {
  return formats().figures.duration(ms);
}

/** Milliseconds as a running clock: `0:42`, `12:05`, `1:02:05`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const rest = pad(seconds % 60);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${rest}`;
  return `${Math.floor(seconds / 3600)}:${pad(Math.floor((seconds % 3600) / 60))}:${rest}`;
}

const pad = (value: number): string => String(value).padStart(2, '0');

/** Formatters of the reader's language; creating one is more expensive than using it. */
class Formats {
  readonly of = locale();
  readonly figures = new NumberFormat(this.of);
  readonly time = new Intl.DateTimeFormat(this.of, { timeStyle: 'medium', hour12: false });
  readonly dateTime = new Intl.DateTimeFormat(this.of, { dateStyle: 'short', timeStyle: 'medium' });
}
let current: Formats | undefined;

function formats(): Formats {
  if (current === undefined || current.of !== locale()) current = new Formats();
  return current;
}

export function formatNumber(value: number): string {
  return formats().figures.count(value);
}

/** Three digits at most: `164K`. */
export function compact(value: number): string {
  return formats().figures.compact(value);
}

/** Time of day of an ISO 8601 time; empty if invalid. */
export function time(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.valueOf()) ? '' : formats().time.format(date);
}

/** Date and time of an ISO 8601 time, for tooltips; the text itself if invalid. */
export function dateTime(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.valueOf()) ? iso : formats().dateTime.format(date);
}

/** Milliseconds between two ISO 8601 times, if both are known. */
export function millisecondsBetween(from: string | undefined, to: string | undefined): number | undefined {
  if (from === undefined || to === undefined) return undefined;
  const ms = Date.parse(to) - Date.parse(from);
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
