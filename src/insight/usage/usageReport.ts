import { emptyGroup, groupSpent, type Group, type RunSpending } from './spending.ts';

/** Spending in a month and on one day of interest, for a view. */
export interface UsageReport {
  /** `2026-11`. */
  readonly month: string;
  /** The reader's calendar day: `2026-11-21`. */
  readonly today: string;
  /** Today, regardless of the month. */
  readonly day: Group;
  readonly total: Group;
  /** Every day of the month up to today, including those without runs. */
  readonly days: readonly Group[];
  readonly agents: readonly Group[];
  readonly models: readonly Group[];
  /** First and last month with data; `month` if there is none. */
  readonly first: string;
  readonly last: string;
}

/** `dayOf` returns the reader's calendar day of a time. */
export function usageReport(
  all: readonly RunSpending[],
  month: string,
  today: string,
  dayOf: (at: string) => string,
): UsageReport {
  const inMonth = all.filter(({ at }) => dayOf(at).startsWith(`${month}-`));
  const byDay = new Map(groupSpent(inMonth, 'day', dayOf).map((group) => [group.key, group]));
  const months = all.map(({ at }) => dayOf(at).slice(0, 7)).sort();
  const ofToday = all.filter(({ at }) => dayOf(at) === today);
  return {
    month,
    today,
    day: groupSpent(ofToday, 'day', dayOf)[0] ?? emptyGroup(today),
    total: groupSpent(inMonth, 'month', dayOf)[0] ?? emptyGroup(month),
    days: daysOf(month, today).map((day) => byDay.get(day) ?? emptyGroup(day)),
    agents: groupSpent(inMonth, 'agent', dayOf),
    models: groupSpent(inMonth, 'model', dayOf),
    first: months[0] ?? month,
    last: months.at(-1) ?? month,
  };
}

const twoDigits = (part: number): string => String(part).padStart(2, '0');

function daysOf(month: string, today: string): string[] {
  const length = lengthOf(month);
  const days = Array.from({ length }, (_, at) => `${month}-${twoDigits(at + 1)}`);
  return today.startsWith(`${month}-`) ? days.filter((day) => day <= today) : days;
}

/** Days of a month of the Gregorian calendar. */
function lengthOf(month: string): number {
  const [year = 0, of = 0] = month.split('-').map(Number);
  if (of === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(of) ? 30 : 31;
}
