import * as vscode from 'vscode';
import { attentionReason } from '../text/originLabel.ts';
import { isSessionLive } from '../../model/session/status.ts';
import { literalText, visibleText } from '../text/inertText.ts';
import { type SessionRow, needsYou, titleOf } from './sessionRow.ts';
import type { Family } from './familyCost.ts';
import { remoteText, shareDetail } from '../team/teamText.ts';
import { figures } from '../text/numberFormat.ts';
import {
  childrenText,
  costText,
  deletionText,
  durationOf,
  placeText,
  rowCost,
  shareMark,
  stateOf,
  stateWord,
  sumText,
  userTurns,
  turnsText,
  waitingText,
} from './rowText.ts';
import { dateTime } from '../text/dates.ts';

const { t } = vscode.l10n;

function provenance(row: SessionRow): string {
  const { total_cost: cost } = row;
  if (cost.provenance === 'unknown') return t('Cost unknown: {0}', cost.reason);
  if (row.recording) return t('{0} in the recorded session; replaying it is free', costText(cost));
  if (cost.provenance === 'reported') return t('{0}, reported by the agent', costText(cost));
  const { date, name } = cost.priceTable;
  const estimated = t('{0}, estimated with prices from {1} ({2})', costText(cost), date, name);
  return cost.reason === undefined ? estimated : `${estimated}. ${cost.reason}`;
}

function facts(row: SessionRow, now: number, family: Family | undefined): [string, string][] {
  const state = stateOf(row);
  const duration = durationOf(row, now);
  const turns = userTurns(row);
  const program = [row.agent_label, row.agent_version].filter((part) => part !== null).join(' ');
  const agent = [row.agent_name, program, ...modelOf(row)].filter((part) => part !== undefined);
  const needs = needsYou(row);
  const reason = needs === undefined ? row.reason : attentionReason(row);
  const status = reason === undefined ? stateWord(state) : `${stateWord(state)}: ${reason}`;
  return [
    [t('Status'), row.recording ? `${status} · ${t('Recording')}` : status],
    ...(needs === undefined ? [] : [[t('Waiting since'), dateTime(needs.since)] satisfies [string, string]]),
    [t('Agent'), agent.join(' · ')],
    ...(row.execution_mode === undefined ? [] : [[t('Execution mode'), row.execution_mode] satisfies [string, string]]),
    ...(family === undefined
      ? []
      : [[t('Cost with {0}', childrenText(family.count)), sumText(family.cost)] satisfies [string, string]]),
    [family === undefined ? t('Cost') : t('This session'), provenance(row)],
    ...(turns === null ? [] : [[t('Turns'), turnsOf(row, turns)] satisfies [string, string]]),
    ...(duration === undefined ? [] : [[t('Last run'), figures.duration(duration)] satisfies [string, string]]),
    [t('Last change'), dateTime(row.updated_at)],
    [placeLabel(row), startPlaceText(row)],
    ...(row.share === undefined || row.share === 'nothing'
      ? []
      : [[t('The team sees'), shareDetail(row.share)] satisfies [string, string]]),
    ...observedFacts(row),
    ...(row.forked_from === undefined
      ? []
      : [[t('Forked from'), row.forked_from.session_id] satisfies [string, string]]),
    ...(row.project_dir === undefined ? [] : [[t('Folder'), row.project_dir] satisfies [string, string]]),
    [t('Session'), row.session_id],
  ];
}

function placeLabel({ shared, remote }: SessionRow): string {
  if (shared !== undefined) return t('Shared by');
  return remote === undefined ? t('Started in') : t('Machine');
}

function startPlaceText({ observed, shared, remote }: SessionRow): string {
  if (shared !== undefined) return t('{0} on {1}', shared.member, shared.hostname);
  if (remote !== undefined) return remoteText(remote);
  if (observed === undefined) return placeText(null);
  return observed.entry_point === null ? t('Another program') : placeText(observed.entry_point);
}

function observedFacts({ observed }: SessionRow): [string, string][] {
  if (observed === undefined) return [];
  return [
    ...(observed.branch === null ? [] : [[t('Branch'), observed.branch] satisfies [string, string]]),
    ...(observed.live.pid === undefined ? [] : [[t('Process'), String(observed.live.pid)] satisfies [string, string]]),
    ...(observed.usage_reason === null ? [] : [[t('Tokens'), observed.usage_reason] satisfies [string, string]]),
    [t('Read from'), observed.path],
  ];
}

/** Adds how many automatic turns are not counted. */
function turnsOf({ synthetic }: SessionRow, turns: number): string {
  if (synthetic === undefined) return String(turns);
  const { turns: automatic, runs } = synthetic;
  return runs === 1
    ? t('{0}, plus {1} in an automatic run', turns, automatic)
    : t('{0}, plus {1} in {2} automatic runs', turns, automatic, runs);
}

/** Omitted while the agent may still report the model. */
function modelOf({ model, status, runs }: SessionRow): string[] {
  if (model !== null) return [model];
  return runs > 0 && !isSessionLive(status) ? [t('model not reported')] : [];
}

/** Maximum characters of one fact: VS Code parses the whole as markdown, and a long text of brackets takes minutes. */
const longest = 300;
const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

/** Session texts are inserted as plain text, without links, commands or markup. */
export function rowTooltip(
  row: SessionRow,
  now: number,
  family?: Family,
  daysToDeletion?: number,
): vscode.MarkdownString {
  const lines = facts(row, now, family).map(([name, text]) => literalText(`${name}: ${cut(visibleText(text))}`));
  if (daysToDeletion !== undefined) lines.unshift(literalText(deletionText(cut(row.agent_label), daysToDeletion)));
  const tooltip = new vscode.MarkdownString(`**${literalText(titleOf(row))}**\n\n${lines.join('  \n')}`, false);
  tooltip.isTrusted = false;
  tooltip.supportHtml = false;
  return tooltip;
}

/** The whole row as one sentence. */
export function rowLabel(row: SessionRow, now: number, family?: Family): string {
  const needs = needsYou(row);
  const duration = durationOf(row, now);
  const turns = userTurns(row);
  return [
    titleOf(row),
    ...(row.recording ? [t('Recording')] : []),
    stateWord(stateOf(row)),
    ...(needs === undefined ? [] : [attentionReason(row), waitingText(needs.since, now)]),
    ...(row.agent_name === undefined ? [] : [row.agent_name]),
    cut(row.agent_label),
    ...(row.shared === undefined ? [] : [t('shared by {0}', cut(startPlaceText(row)))]),
    ...(row.observed === undefined && row.remote === undefined ? [] : [startPlaceText(row)]),
    ...shareMark(row),
    rowCost(row, family),
    ...(turns === null ? [] : [turnsText(turns)]),
    ...(duration === undefined ? [] : [figures.duration(duration)]),
  ].join(', ');
}
