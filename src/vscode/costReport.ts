import * as vscode from 'vscode';
import type { RunMessage } from '../engine/api.ts';
import type { SessionHandle } from './engine/windowEngine.ts';
import type { Turn } from '../model/turn.ts';
import { loadPrices } from '../insight/prices.ts';
import { selfCheck } from '../insight/selfCheck.ts';
import { messageCosts } from '../insight/spending.ts';
import type { SessionSummary } from '../model/summary.ts';
import { totalTokens, type Cost, type ModelUsage, type TokenUsage } from '../model/usage.ts';
import { alignedTable, plainMarkdown } from './markdownText.ts';
import { figures } from './figures.ts';
import { costText } from './rowText.ts';
import { titleOf } from './sessionRow.ts';
import { ownPrices } from './settings.ts';

const { t } = vscode.l10n;
/** Messages that one page lists, the newest. */
const mostRows = 1000;

/** The page as markdown. Reads the record as a whole. */
export async function costReport(handle: SessionHandle): Promise<string> {
  const summary = handle.summary();
  const [ledger, messages] = await Promise.all([handle.ledger(), handle.messages()]);
  const parts = [
    `# ${t('Cost Report')}`,
    about(summary),
    `## ${t('Sums')}\n\n${alignedTable(sums(summary))}`,
    `${reasons(summary)}${await checkLine(summary, ledger.totalModels)}`,
    `## ${t('By model')}\n\n${models(ledger.totalModels)}`,
    `## ${t('By turn')}\n\n${turns(handle)}`,
    `## ${t('By message of the model')}\n\n${await messageTable(messages, handle.turns(), summary)}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function about(summary: SessionSummary): string {
  const agent = [summary.agent_label, summary.agent_version].filter((each) => each !== null).join(' ');
  return [
    `- ${t('Session')}: ${plainMarkdown(titleOf(summary))} (${summary.session_id})`,
    `- ${t('Agent')}: ${plainMarkdown(agent)}`,
  ].join('\n');
}

const none = '–';
const count = (value: number | undefined): string => (value === undefined ? none : figures.count(value));

function tokenCells({ input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning }: TokenUsage): string[] {
  return [input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning].map(count);
}

function tokenHeads(): string[] {
  return [t('Input'), t('Output'), t('Cache read'), t('Cache write'), t('of it 1 hour'), t('Reasoning')];
}

function sums({ cost, total_cost: total, usage, total_usage: totalUsage }: SessionSummary): string[][] {
  return [
    ['', t('Cost'), ...tokenHeads()],
    [t('This run'), costText(cost), ...tokenCells(usage)],
    [t('Session'), costText(total), ...tokenCells(totalUsage)],
  ];
}

/** How both sums are known. */
function reasons({ cost, total_cost: total }: SessionSummary): string {
  return [`- ${t('This run')}: ${reason(cost)}`, `- ${t('Session')}: ${reason(total)}`].join('\n');
}

function reason(cost: Cost): string {
  if (cost.provenance === 'reported') return t('reported by the agent');
  if (cost.provenance === 'unknown') return t('unknown: {0}', plainMarkdown(cost.reason));
  const { name, date } = cost.priceTable;
  const text = t('estimated with the price table {0} of {1}', plainMarkdown(name), plainMarkdown(date));
  return cost.reason === undefined ? text : `${text}. ${plainMarkdown(cost.reason)}`;
}

/** What was reported, held against what the price table makes of the same tokens. */
async function checkLine({ total_cost: total }: SessionSummary, used: readonly ModelUsage[] | null): Promise<string> {
  const check = selfCheck(total, used, await loadPrices(ownPrices()));
  if (check === null) return '';
  const { estimate, percent } = check;
  const off = figures.count(Math.abs(percent));
  const text =
    percent < 0
      ? t('the price table makes {0} of the same tokens, {1} % less than was reported', figures.money(estimate), off)
      : t('the price table makes {0} of the same tokens, {1} % more than was reported', figures.money(estimate), off);
  return `\n- ${t('Check')}: ${text}`;
}

function models(all: readonly ModelUsage[] | null): string {
  if (all === null || all.length === 0) return t('The agent did not say which model used what.');
  const rows = all.map(({ model, usd, ...usage }) => [
    plainMarkdown(model),
    usd === undefined ? t('unknown') : figures.money(usd),
    ...tokenCells(usage),
  ]);
  return alignedTable([[t('Model'), t('Cost'), ...tokenHeads()], ...rows]);
}

function turns(handle: SessionHandle): string {
  const all = handle.turns();
  const before = handle.summary().runs - all.length;
  const rows = all.map(({ startedAt, steps, durationMs, usd, costProvenance: known }, at) => [
    String(before + at + 1),
    new Date(startedAt).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' }),
    String(steps),
    durationMs === null ? t('unknown') : figures.duration(durationMs),
    usd === null ? t('unknown') : `${known === 'estimated' ? '≈ ' : ''}${figures.money(usd)}`,
    known === 'reported' ? t('reported') : known === 'estimated' ? t('estimated') : t('unknown'),
  ]);
  const head = [t('Turn'), t('Started'), t('Steps'), t('Duration'), t('Cost'), t('Known how')];
  const left = before > 0 ? `\n\n${t('{0} turns before these are not listed.', before)}` : '';
  return `${alignedTable([head, ...rows])}${left}`;
}

/** No agent prints what one message cost: always by the price table, or unknown with the reason. */
async function messageTable(
  messages: readonly RunMessage[],
  all: readonly Turn[],
  { model, runs }: SessionSummary,
): Promise<string> {
  if (messages.length === 0) {
    return t('Unknown: the agent does not say what single messages use, or the run that says so is not over yet.');
  }
  const before = runs - all.length;
  const places = new Map(all.map(({ runId }, at) => [runId, before + at + 1]));
  const costs = messageCosts(messages, await loadPrices(ownPrices()), model);
  const rows = messages.map((message, at) => {
    const known = costs[at];
    const cost = known?.cost ?? { provenance: 'unknown' as const, reason: '' };
    return [
      String(places.get(message.runId) ?? none),
      plainMarkdown(known?.model ?? t('not named')),
      message.parentCallId === null ? '' : t('subagent'),
      count(totalTokens(message.usage)),
      cost.provenance === 'unknown' ? `${t('unknown')}: ${plainMarkdown(cost.reason)}` : costText(cost),
      message.settled ? '' : t('at least: it was cut off'),
    ];
  });
  const head = [t('Turn'), t('Model'), t('By'), t('Tokens'), t('Cost'), t('Remark')];
  const left =
    rows.length > mostRows ? `\n\n${t('{0} messages before these are not listed.', rows.length - mostRows)}` : '';
  return `${alignedTable([head, ...rows.slice(-mostRows)])}${left}`;
}
