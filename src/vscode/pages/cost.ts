import * as vscode from 'vscode';
import type { RunMessage } from '../../engine/api.ts';
import { loadPrices } from '../../insight/prices/prices.ts';
import { selfCheck } from '../../insight/ledger/selfCheck.ts';
import { messageCosts } from '../../insight/usage/spending.ts';
import type { ReportCell, ReportFact, ReportSection, ReportTable } from '../../model/pages/report.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { Turn } from '../../model/session/turn.ts';
import { totalTokens, type Cost, type ModelUsage, type TokenUsage } from '../../model/usage/usage.ts';
import type { SessionHandle } from '../engine/windowEngine.ts';
import { figures } from '../text/numberFormat.ts';
import { ownPrices } from '../settings/settings.ts';
import { code, command, fact, numberCell, text } from './parts.ts';
import type { BuiltReport, ReportWork } from './reportKind.ts';
import { sessionFacts } from './sessionFacts.ts';
import { dateTime } from '../text/dates.ts';

const { t } = vscode.l10n;
/** Maximum number of model responses to list, the newest. */
const maxRows = 1000;

/** Cost of one session by run, model and model response. Reads the whole record. */
export async function costReport(handle: SessionHandle, { actions, progress }: ReportWork): Promise<BuiltReport> {
  progress(t('Reading the record…'));
  const summary = handle.summary();
  const [ledger, messages] = await Promise.all([handle.ledger(), handle.messages()]);
  const { cost, total_cost: total, usage, total_usage: totalUsage } = summary;
  return {
    report: {
      title: t('Cost Report'),
      facts: sessionFacts(summary),
      actions: [
        actions.add(t('Open Session'), 'comment-discussion', command('vitrine.openSession', handle.id)),
        actions.add(t('Export Usage as CSV…'), 'export', command('vitrine.exportUsage')),
      ],
      sections: [
        {
          title: t('Totals'),
          tables: [
            usageTable(t('Totals of the last run and of the session'), t('Scope'), [
              [text(t('Last run')), costCell(cost), ...tokenCells(usage)],
              [text(t('Session')), costCell(total), ...tokenCells(totalUsage)],
            ]),
          ],
          facts: [
            fact(t('Source of the last run’s cost'), sourceOf(cost)),
            fact(t('Source of the session’s cost'), sourceOf(total)),
            ...(ledger.tokensOf === undefined ? [] : [fact(t('Tokens'), t('last model call of each turn only'))]),
            ...(await checkFacts(summary, ledger.totalModels)),
          ],
        },
        { title: t('By model'), ...modelTables(ledger.totalModels) },
        { title: t('By turn'), tables: [turnTable(handle)] },
        await responseSection(messages, handle.turns(), summary),
      ],
    },
  };
}

const none = '–';

/** An unknown cost is not zero and sorts last. */
function costCell(cost: Cost): ReportCell {
  if (cost.provenance === 'unknown') return { text: t('unknown'), sort: null };
  return numberCell(`${cost.provenance === 'estimated' ? '≈ ' : ''}${figures.money(cost.usd)}`, cost.usd);
}

function countCell(value: number | undefined): ReportCell {
  return value === undefined ? { text: none, sort: null } : numberCell(figures.count(value), value);
}

function tokenCells({ input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning }: TokenUsage): ReportCell[] {
  return [input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning].map(countCell);
}

function usageTable(label: string, first: string, rows: readonly (readonly ReportCell[])[]): ReportTable {
  const numbers = [
    t('Cost'),
    t('Input'),
    t('Output'),
    t('Cache read'),
    t('Cache write'),
    t('1-hour cache write'),
    t('Reasoning'),
  ];
  return {
    label,
    columns: [{ label: first }, ...numbers.map((number) => ({ label: number, numeric: true as const }))],
    rows,
    note: t('Tokens. 1-hour cache write is part of cache write, and reasoning is part of output.'),
  };
}

function sourceOf(cost: Cost): string {
  if (cost.provenance === 'reported') return t('reported by the agent');
  if (cost.provenance === 'unknown') return t('unknown: {0}', cost.reason);
  const { name, date } = cost.priceTable;
  const source = t('estimated with price table {0} from {1}', name, date);
  return cost.reason === undefined ? source : `${source}. ${cost.reason}`;
}

/** Compares the reported cost with the price table. */
async function checkFacts(
  { total_cost: total }: SessionSummary,
  used: readonly ModelUsage[] | null,
): Promise<ReportFact[]> {
  const check = selfCheck(total, used, await loadPrices(ownPrices()));
  if (check === null) return [];
  const { estimate, percent } = check;
  const [amount, off] = [figures.money(estimate), figures.count(Math.abs(percent))];
  const says =
    Math.round(percent) === 0
      ? t('the price table gives {0} for the same tokens, exactly as reported', amount)
      : percent < 0
        ? t('the price table gives {0} for the same tokens, {1}% less than reported', amount, off)
        : t('the price table gives {0} for the same tokens, {1}% more than reported', amount, off);
  return [fact(t('Cross-check'), says)];
}

function modelTables(all: readonly ModelUsage[] | null): Pick<ReportSection, 'text' | 'tables'> {
  if (all === null || all.length === 0) return { text: [t('The agent does not report usage by model.')] };
  const rows = all.map(({ model, usd, ...usage }) => [
    code(model),
    usd === undefined ? { text: t('unknown'), sort: null } : numberCell(figures.money(usd), usd),
    ...tokenCells(usage),
  ]);
  return { tables: [usageTable(t('Usage by model'), t('Model'), rows)] };
}

function turnTable(handle: SessionHandle): ReportTable {
  const all = handle.turns();
  const before = handle.summary().runs - all.length;
  const rows = all.map(({ startedAt, steps, durationMs, usd, costProvenance: known }, at) => [
    numberCell(String(before + at + 1), before + at + 1),
    { text: dateTime(startedAt), sort: startedAt },
    numberCell(figures.count(steps), steps),
    durationMs === null ? { text: t('unknown'), sort: null } : numberCell(figures.duration(durationMs), durationMs),
    usd === null
      ? { text: t('unknown'), sort: null }
      : numberCell(`${known === 'estimated' ? '≈ ' : ''}${figures.money(usd)}`, usd),
    text(known === 'reported' ? t('reported') : known === 'estimated' ? t('estimated') : t('unknown')),
  ]);
  return {
    label: t('Cost of each turn'),
    columns: [
      { label: t('Turn') },
      { label: t('Started') },
      { label: t('Steps'), numeric: true },
      { label: t('Duration'), numeric: true },
      { label: t('Cost'), numeric: true },
      { label: t('Source') },
    ],
    rows,
    ...(before > 0 && {
      note: before === 1 ? t('1 earlier turn is not listed.') : t('{0} earlier turns are not listed.', before),
    }),
  };
}

/** Agents do not report the cost of a response, so it comes from the price table, or is unknown with a reason. */
async function responseSection(
  messages: readonly RunMessage[],
  all: readonly Turn[],
  { model, runs }: SessionSummary,
): Promise<ReportSection> {
  const title = t('By model response');
  if (messages.length === 0) {
    return { title, text: [t('Unknown: the agent does not report usage per response, or its run has not ended yet.')] };
  }
  const before = runs - all.length;
  const places = new Map(all.map(({ runId }, at) => [runId, before + at + 1]));
  const costs = messageCosts(messages, await loadPrices(ownPrices()), model);
  const rows = messages.map((message, at) => {
    const known = costs[at];
    const cost = known?.cost ?? { provenance: 'unknown' as const, reason: '' };
    const tokens = totalTokens(message.usage);
    const why = cost.provenance === 'unknown' ? cost.reason : '';
    return [
      numberCell(String(places.get(message.runId) ?? none), places.get(message.runId) ?? null),
      known?.model === undefined || known.model === null ? text(t('not reported')) : code(known.model),
      text(message.parentCallId === null ? t('main agent') : t('subagent')),
      countCell(tokens),
      costCell(cost),
      text(message.settled ? why : [t('at least: the response was interrupted'), why].filter(Boolean).join('; ')),
    ];
  });
  const omitted = rows.length - maxRows;
  const table: ReportTable = {
    label: t('Cost of each model response'),
    columns: [
      { label: t('Turn') },
      { label: t('Model') },
      { label: t('Agent') },
      { label: t('Tokens'), numeric: true },
      { label: t('Cost'), numeric: true },
      { label: t('Notes') },
    ],
    rows: rows.slice(-maxRows),
    ...(omitted > 0 && { note: t('{0} earlier responses are not listed.', omitted) }),
  };
  return { title, tables: [table] };
}
