/** A bound on a cost in US dollars. */
export interface CostBound {
  readonly operator: '<' | '<=' | '>' | '>=';
  readonly usd: number;
}

/** Calendar days (`2026-11-21`), inclusive. */
export interface DateRange {
  readonly from?: string;
  readonly to?: string;
}

/** Parsed filter text: operators as filters, and the remaining words. */
export interface FilterText {
  readonly text?: string;
  readonly cost?: readonly CostBound[];
  readonly dates?: DateRange;
  /** Parts with an invalid operator value. */
  readonly problems: readonly string[];
}

const amount = String.raw`\$?(\d+(?:\.\d+)?)`;
const bound = new RegExp(`^(<=|>=|<|>)${amount}$`);
const between = new RegExp(`^${amount}\\.\\.${amount}$`);

/** Parses `>1`, `<=0.5` or `0.5..2` (US dollars); `undefined` if invalid. */
export function parseCost(text: string): readonly CostBound[] | undefined {
  const value = text.replaceAll(/\s/g, '');
  const [, operator, usd] = bound.exec(value) ?? [];
  const known = (['<', '<=', '>', '>='] as const).find((candidate) => candidate === operator);
  if (known !== undefined) return [{ operator: known, usd: Number(usd) }];
  const [, least, most] = between.exec(value) ?? [];
  if (least === undefined) return undefined;
  return [
    { operator: '>=', usd: Number(least) },
    { operator: '<=', usd: Number(most) },
  ];
}

/** Parses `2026-11-01..2026-11-20`, an open range with `..`, or one day; `undefined` if invalid. */
export function parseDates(text: string): DateRange | undefined {
  const [from = '', to = from, ...others] = text.replaceAll(/\s/g, '').split('..');
  const days = [from, to].filter((day) => day !== '');
  if (others.length > 0 || days.length === 0 || !days.every(isDay)) return undefined;
  return { ...(from !== '' && { from }), ...(to !== '' && { to }) };
}

/** Parses the operators `cost:>1`, `after:2026-11-01`, `before:2026-11-20` and `on:2026-11-05` (inclusive days). */
export function parseFilterText(typed: string): FilterText {
  const words: string[] = [];
  const problems: string[] = [];
  const cost: CostBound[] = [];
  let dates: DateRange = {};
  for (const part of typed.split(/\s+/).filter((word) => word !== '')) {
    const [, operator = '', value = ''] = /^(cost|after|before|on):(.*)$/i.exec(part) ?? [];
    switch (operator.toLowerCase()) {
      case '':
        words.push(part);
        break;
      case 'cost': {
        const bounds = parseCost(value);
        if (bounds === undefined) problems.push(part);
        else cost.push(...bounds);
        break;
      }
      default:
        if (!isDay(value)) problems.push(part);
        else if (/^after/i.test(operator)) dates = { ...dates, from: value };
        else if (/^before/i.test(operator)) dates = { ...dates, to: value };
        else dates = { from: value, to: value };
    }
  }
  return {
    ...(words.length > 0 && { text: words.join(' ') }),
    ...(cost.length > 0 && { cost }),
    ...(Object.keys(dates).length > 0 && { dates }),
    problems,
  };
}

/** Inverse of `parseCost`. */
export function costText(bounds: readonly CostBound[]): string {
  return bounds.map(({ operator, usd }) => `${operator}$${usd}`).join(' ');
}

/** Inverse of `parseDates`. */
export function datesText({ from = '', to = '' }: DateRange): string {
  return from === to ? from : `${from}..${to}`;
}

export function isWithin(usd: number, bounds: readonly CostBound[]): boolean {
  return bounds.every(({ operator, usd: limit }) => {
    if (usd === limit) return operator === '<=' || operator === '>=';
    return operator.startsWith('<') ? usd < limit : usd > limit;
  });
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
