import { localDay } from '../../engine/usage/localDay.ts';
import { emptyGroup, groupSpent, type Group, type GroupBy, type RunSpending } from '../../insight/usage/spending.ts';
import { totalTokens, type CostSum } from '../../model/usage/usage.ts';
import { visibleLine } from '../../model/text/visibleText.ts';
import { englishNumbers } from '../../text/numberFormat.ts';
import { parseOptions } from '../options/args.ts';
import { UsageError, type CliContext, type Command } from '../command.ts';
import { createEngine, storeHelp } from '../run/engine.ts';
import { writeLines } from '../print/output.ts';
import { pricesHelp, pricesOption } from '../options/executorOptions.ts';
import { counted } from '../print/counted.ts';

const groupings = ['day', 'model', 'agent'] as const satisfies readonly GroupBy[];

const totalKey = 'total';

const help = `Usage: vitrine usage [options]

Adds up tokens and cost by day, model or agent, over Vitrine's own sessions and those that other programs started.

  --by GROUPING      day, model or agent; default: day
  --days N           the last N days, including today; default: 30; 0: all
  --own              only sessions that Vitrine recorded
  --team             includes what other team members share, on the day each session was created
  --json             one group per line as JSON, then one line with "total"
  --line             prints today's usage in one short line, for a shell prompt
${pricesHelp}${storeHelp}
Amounts with ~ are estimated at list prices. A + means that the cost of some sessions is unknown.
`;

const options = {
  by: { type: 'string' },
  days: { type: 'string' },
  own: { type: 'boolean' },
  team: { type: 'boolean' },
  json: { type: 'boolean' },
  line: { type: 'boolean' },
  prices: { type: 'string' },
  store: { type: 'string' },
} as const;

export const usage: Command = {
  help,
  async run(args, context) {
    const { values } = parseOptions('usage', { args: [...args], options });
    const by = groupings.find((grouping) => grouping === (values.by ?? 'day'));
    if (by === undefined)
      throw new UsageError(`Unknown grouping: "${values.by}" (--by).`, `Use one of: ${groupings.join(', ')}.`);
    const days = values.line === true ? 1 : daysOption(values.days);
    const excludesObserved = values.own === true;
    const prices = await pricesOption(values.prices, context);
    const engine = createEngine(context, { store: values.store, excludesObserved, prices });
    try {
      const { runSpending, unreadable } = await engine.archive.spending();
      const observed = excludesObserved ? [] : await engine.archive.observedSpending();
      const team = values.team === true ? await teamSpending(context, values.store) : undefined;
      // Sessions that another machine ran for an agent of this one are in both lists.
      const own = new Set(runSpending.map(({ sessionId }) => sessionId));
      const shared = (team?.spent ?? []).filter(({ sessionId }) => !own.has(sessionId));
      const recent = [...runSpending, ...observed, ...shared].filter(({ at }) =>
        isWithin(localDay(at), days, context.now()),
      );
      const groups = groupSpent(recent, by, localDay);
      const total = totalOf(recent);
      if (values.line === true) context.stdout.write(`${amount(total)} today\n`);
      else if (values.json === true) await writeLines(context.stdout, [...groups.map(jsonGroup), jsonGroup(total)]);
      else for (const group of [...groups, total]) context.stdout.write(`${row(group)}\n`);
      if (team !== undefined) context.stderr.write(`${team.note}\n`);
      if (unreadable > 0) context.stderr.write(`vitrine: Could not read ${counted(unreadable, 'record')}.\n`);
      return 0;
    } finally {
      await engine.dispose();
    }
  },
};

/** Usage of the team, with what it covers. Loaded only for `--team`. @throws UsageError */
async function teamSpending(context: CliContext, store: string | undefined) {
  const { sharedSpending } = await import('../sessions/team.ts');
  const { spent, sessions, isComplete } = await sharedSpending(context, store);
  const asOf = new Date(context.now()).toISOString();
  const note = `Shared team sessions: ${isComplete ? '' : 'the newest '}${sessions}, as of ${asOf}.`;
  return { spent, note };
}

/** @throws UsageError */
function daysOption(value: string | undefined): number {
  const days = Number(value ?? '30');
  if (!Number.isInteger(days) || days < 0)
    throw new UsageError(`"${value}" is not a number of days (--days).`, 'Use 0 or more.');
  return days;
}

/** `days` 0: all. */
function isWithin(day: string, days: number, now: number): boolean {
  if (days === 0) return true;
  const first = new Date(now);
  first.setDate(first.getDate() - days + 1);
  return day >= localDay(first.getTime()) && day <= localDay(now);
}

function totalOf(spent: readonly RunSpending[]): Group {
  const all = spent.map((spending) => ({ ...spending, agent: totalKey }));
  return groupSpent(all, 'agent', localDay)[0] ?? emptyGroup(totalKey);
}

function jsonGroup({ key, usd, estimatedUsd, unknown, sessions, usage: tokens }: Group): object {
  return { key, usd, estimated_usd: estimatedUsd, unknown_costs: unknown, sessions, usage: tokens };
}

function row(group: Group): string {
  const cells = [
    visibleLine(group.key).padEnd(28),
    amount(group).padStart(12),
    `${englishNumbers.compact(totalTokens(group.usage))} tokens`.padStart(14),
    counted(group.sessions, 'session'),
  ];
  return cells.join('  ');
}

/** Such as `~$1.87+`: partly estimated, and incomplete. */
function amount({ usd, estimatedUsd, unknown }: CostSum): string {
  if (usd === null) return unknown > 0 ? 'cost unknown' : englishNumbers.money(0);
  return `${estimatedUsd > 0 ? '~' : ''}${englishNumbers.money(usd)}${unknown > 0 ? '+' : ''}`;
}
