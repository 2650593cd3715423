import type { ComparedLane, Comparison, Overlap } from '../../model/race/comparison.ts';
import type { CommandResult } from '../../model/race/race.ts';
import { quoteSafely, visibleLine } from '../../model/text/visibleText.ts';
import { englishNumbers } from '../../text/numberFormat.ts';

const figures = englishNumbers;
const unknown = 'unknown';

/** A table of the results, and what they have in common. */
export function comparisonText({ results, overlaps, check }: Comparison): string {
  const head = ['result', 'agent', 'outcome', 'check', 'files', 'lines', 'time', 'cost', 'unsupported'];
  const rows = [head, ...results.map(row)].map((cells) => cells.map((cell) => visibleLine(cell)));
  const widths = head.map((_, at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0)));
  const table = rows.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const reasons = results.flatMap(({ name, reason }) => (reason === null ? [] : [`${name}: ${quoteSafely(reason)}`]));
  const failed = results.flatMap(({ name, check: ran }) =>
    ran === null || ran.exit_code === 0 ? [] : [`${name}: ${quoteSafely(lastLine(ran.output))}`],
  );
  return [
    ...table,
    ...section('Why', reasons),
    ...section(`Check failed: ${quoteSafely(check ?? '')}`, failed),
    ...section('Changed by two results', overlaps.map(overlapText)),
    '',
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${visibleLine(line)}`)];
}

function row(result: ComparedLane): string[] {
  const { name, label, outcome, check, files, ms, cost, unsupported } = result;
  return [
    name,
    label,
    outcome ?? 'not started',
    check === null ? '-' : checkText(check),
    files === null ? unknown : figures.count(files.length),
    changedLinesText(files),
    ms === null ? unknown : figures.duration(ms),
    costText(cost),
    unsupported === null ? unknown : figures.count(unsupported),
  ];
}

export function checkText({ exit_code: code, signal, timed_out: timedOut }: CommandResult): string {
  if (timedOut) return 'timed out';
  if (code === null) return signal ?? 'not run';
  return code === 0 ? 'passed' : `failed (exit code ${code})`;
}

export function costText(cost: ComparedLane['cost']): string {
  if (cost.provenance === 'unknown') return unknown;
  return `${cost.provenance === 'estimated' ? '~' : ''}${figures.money(cost.usd)}`;
}

function changedLinesText(files: ComparedLane['files']): string {
  if (files === null) return unknown;
  const sum = (of: 'added' | 'removed'): number => files.reduce((total, file) => total + (file[of] ?? 0), 0);
  const uncountedMark = files.some(({ added, removed }) => added === null || removed === null) ? '?' : '';
  return `+${figures.count(sum('added'))} -${figures.count(sum('removed'))}${uncountedMark}`;
}

function overlapText({ a, b, files, lines, same }: Overlap): string {
  if (files.length === 0) return `${a} and ${b}: no files in common`;
  const count = lines === null ? 'lines unknown' : `${figures.count(lines)} changed ${lines === 1 ? 'line' : 'lines'}`;
  const equal = same === null || same.length === 0 ? '' : `, ${figures.count(same.length)} with the same content`;
  return `${a} and ${b}: ${figures.count(files.length)} ${files.length === 1 ? 'file' : 'files'} (${fileListText(files)}), ${count}${equal}`;
}

const maxListed = 5;

function fileListText(files: readonly string[]): string {
  const unlisted = files.length - maxListed;
  return `${files.slice(0, maxListed).join(', ')}${unlisted > 0 ? `, and ${unlisted} more` : ''}`;
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1) ?? '';
}
