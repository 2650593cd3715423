import type { ReportCell } from '../../src/model/pages/report.ts';

export interface Sort {
  readonly column: number;
  readonly descending: boolean;
}

/** Sorting after a click on a column heading: one direction, the other, then the original order. */
export function nextSort(now: Sort | undefined, column: number, numeric: boolean): Sort | undefined {
  if (now?.column !== column) return { column, descending: numeric };
  return now.descending === numeric ? { column, descending: !numeric } : undefined;
}

/** Rows in the order of one column; those without a value come last in both directions. */
export function sortedRows(
  rows: readonly (readonly ReportCell[])[],
  { column, descending }: Sort,
  locale?: string,
): readonly (readonly ReportCell[])[] {
  const collator = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });
  const valueOf = (row: readonly ReportCell[]): number | string | null => {
    const cell = row[column];
    if (cell?.sort !== undefined) return cell.sort;
    return cell === undefined || cell.text === '' ? null : cell.text;
  };
  return rows.toSorted((left, right) => {
    const [a, b] = [valueOf(left), valueOf(right)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const order = typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
    return descending ? -order : order;
  });
}
