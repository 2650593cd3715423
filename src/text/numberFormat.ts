const second = 1000;
const minute = 60 * second;
/** Maximum of a `Date`; more is not a valid duration. */
const longest = 8.64e15;

/**
 * Formats all amounts for users: page, trees, status bar, reports, exports, command line. Creating it is expensive, so
 * keep it. JSON contains plain numbers.
 */
export class NumberFormat {
  readonly #locale: string | undefined;
  #cachedFormats: Formats | undefined;

  /** `locale`: BCP 47; `undefined` is that of the machine. */
  constructor(locale: string | undefined) {
    this.#locale = locale;
  }

  /** US dollars: `$1.87`, `$0.0064`, `< $0.0001`. Only 0 is shown as 0. */
  money(usd: number): string {
    if (!Number.isFinite(usd)) return unknown;
    const amount = Math.abs(usd);
    if (amount > 0 && amount < 0.0001) return `< ${this.#formats.belowCent.format(0.0001)}`;
    return (amount < 0.01 ? this.#formats.belowCent : this.#formats.cents).format(usd);
  }

  /** Milliseconds: `40 ms`, `0.6 s`, `41.3 s`, `2 min 58 s`, `1 h 4 min`, `2 d 3 h`. Negative durations give 0. */
  duration(ms: number): string {
    if (!Number.isFinite(ms) || ms > longest) return unknown;
    const lasted = Math.max(0, ms);
    if (Math.round(lasted) > 0 && lasted < 100) return `${Math.round(lasted)} ms`;
    const tenths = Math.round(lasted / 100);
    if (tenths < 600) return `${this.#formats.decimals.format(tenths / 10)} s`;
    const seconds = Math.round(lasted / second);
    if (seconds < 3600) return unitPair(Math.floor(seconds / 60), 'min', seconds % 60, 's');
    const minutes = Math.round(lasted / minute);
    if (minutes < 24 * 60) return unitPair(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
    const hours = Math.round(minutes / 60);
    return unitPair(Math.floor(hours / 24), 'd', hours % 24, 'h');
  }

  /** Tokens, turns, lines and other counts, exactly: `164,512`. */
  count(value: number): string {
    return Number.isFinite(value) ? this.#formats.whole.format(value) : unknown;
  }

  /** Three digits at most, for use next to the exact number: `164K`. */
  compact(value: number): string {
    return Number.isFinite(value) ? this.#formats.compact.format(value) : unknown;
  }

  /** Created on first use, since Node needs 7 MB for it. */
  get #formats(): Formats {
    this.#cachedFormats ??= formatsOf(this.#locale);
    return this.#cachedFormats;
  }
}

type Formats = ReturnType<typeof formatsOf>;

function formatsOf(locale: string | undefined) {
  const dollars = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
  return {
    cents: new Intl.NumberFormat(locale, dollars),
    belowCent: new Intl.NumberFormat(locale, { ...dollars, maximumFractionDigits: 4 }),
    decimals: new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }),
    whole: new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }),
    compact: new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 }),
  };
}

/** For text that is always English: records, exports, the command line. */
export const englishNumbers = new NumberFormat('en-US');

const unknown = '–';

function unitPair(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
}
