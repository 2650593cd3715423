import * as vscode from 'vscode';
import type { CostToday } from '../usage/costToday.ts';
import type { Cost, CostSum } from '../../model/usage/usage.ts';
import type { Family } from './familyCost.ts';
import { visibleText } from '../text/inertText.ts';
import { figures } from '../text/numberFormat.ts';
import { isSessionLive } from '../../model/session/status.ts';
import { needsYou, type SessionRow } from './sessionRow.ts';

const { t } = vscode.l10n;

/** A cost with its qualifier; an unknown one is never zero. */
export function costText(cost: Cost): string {
  if (cost.provenance === 'unknown') return t('cost unknown');
  return cost.provenance === 'estimated' ? `≈ ${figures.money(cost.usd)}` : figures.money(cost.usd);
}

/** Like `costText`, for a sum. */
export function sumText({ usd, estimatedUsd, unknown }: CostSum): string {
  if (usd === null) return t('cost unknown');
  const amount = `${estimatedUsd > 0 ? '≈ ' : ''}${figures.money(usd)}`;
  return unknown === 0 ? amount : t('{0} + unknown', amount);
}

/** Such as `2 child sessions`. */
export function childrenText(count: number): string {
  return count === 1 ? t('1 child session') : t('{0} child sessions', count);
}

/** Cost of a session including child sessions. */
export function rowCost({ total_cost }: Pick<SessionRow, 'total_cost'>, family: Family | undefined): string {
  if (family === undefined) return costText(total_cost);
  return t('{0} with {1}', sumText(family.cost), childrenText(family.count));
}

export type RowState =
  'approval' | 'running' | 'idle' | 'stopping' | 'finished' | 'failed' | 'stopped' | 'paused' | 'interrupted';

export function stateOf(row: Pick<SessionRow, 'status' | 'outcome' | 'needs_you' | 'budget' | 'observed'>): RowState {
  if (row.status === 'stopping') return 'stopping';
  if (needsYou(row) !== undefined) return 'approval';
  if (isSessionLive(row.status)) return 'running';
  if (row.observed?.live.state === 'idle') return 'idle';
  if (row.outcome === 'failed' || row.outcome === 'interrupted') return row.outcome;
  if (row.budget?.reached !== undefined) return 'paused';
  return row.status === 'stopped' || row.outcome === 'stopped' ? 'stopped' : 'finished';
}

export function stateWord(state: RowState): string {
  switch (state) {
    case 'approval':
      return t('Needs you');
    case 'running':
      return t('Running');
    case 'idle':
      return t('Idle');
    case 'stopping':
      return t('Stopping');
    case 'finished':
      return t('Finished');
    case 'failed':
      return t('Failed');
    case 'stopped':
      return t('Stopped');
    case 'paused':
      return t('Paused');
    case 'interrupted':
      return t('Interrupted');
  }
}

const icons: Readonly<Record<RowState, readonly [icon: string, color?: string]>> = {
  approval: ['shield', 'list.warningForeground'],
  running: ['loading~spin', 'charts.blue'],
  idle: ['circle-filled', 'charts.green'],
  stopping: ['loading~spin', 'charts.blue'],
  finished: ['pass', 'charts.green'],
  failed: ['error', 'list.errorForeground'],
  stopped: ['stop-circle'],
  paused: ['debug-pause', 'list.warningForeground'],
  interrupted: ['debug-disconnect', 'list.warningForeground'],
};

export function stateIcon(state: RowState): vscode.ThemeIcon {
  const [icon, color] = icons[state];
  return new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
}

/** Number of automatic messages that a list hides. */
export function leftOutText(count: number): string {
  return count === 1 ? t('1 follow-up or child result hidden') : t('{0} follow-ups and child results hidden', count);
}

/** Turns of runs started by the user; `null` if the agent does not report turns. */
export function userTurns({ turns, synthetic }: SessionRow): number | null {
  return turns === null ? null : Math.max(0, turns - (synthetic?.turns ?? 0));
}

export function turnsText(turns: number): string {
  return turns === 1 ? t('1 turn') : t('{0} turns', turns);
}

/** Duration of the current run, else of the last one, in whole seconds; `undefined` if unknown. */
export function durationOf(row: SessionRow, now: number): number | undefined {
  if (!isSessionLive(row.status)) return row.duration ?? undefined;
  // The start of the current turn is unknown for other programs.
  if (row.observed !== undefined) return undefined;
  return Math.max(0, Math.floor((now - Date.parse(row.last_resumed_at ?? row.created_at)) / 1000) * 1000);
}

/** Waiting time of a request since `since` (ISO 8601), in whole seconds, then whole minutes. */
export function waitingText(since: string, now: number): string {
  const ms = Math.max(0, now - Date.parse(since));
  const step = ms < 60_000 ? 1000 : 60_000;
  return t('waiting {0}', figures.duration(Math.floor(ms / step) * step));
}

/** Description of a row, such as `$0.31 · 3 turns · 6 min 2 s`, with agent name and, if relevant, state. */
export function rowDescription(row: SessionRow, now: number, family?: Family): string {
  const state = stateOf(row);
  const duration = durationOf(row, now);
  const turns = userTurns(row);
  const needs = needsYou(row);
  return [
    ...(row.agent_name === undefined ? [] : [row.agent_name]),
    ...(row.recording ? [t('Recording')] : []),
    ...observedPlace(row),
    ...sharedPlace(row),
    ...shareMark(row),
    ...(state === 'running' || state === 'finished' ? [] : [stateText(row, state)]),
    ...(needs === undefined ? [] : [waitingText(needs.since, now)]),
    rowCost(row, family),
    ...(turns === null ? [] : [turnsText(turns)]),
    ...(duration === undefined ? [] : [figures.duration(duration)]),
  ].join(' · ');
}

/** The pending request, else the state; for an unreadable session, the reason. */
function stateText(row: SessionRow, state: RowState): string {
  const { observed } = row;
  if (observed === undefined) return needsYou(row)?.title ?? stateWord(state);
  if (observed.problem !== null) return observed.problem;
  if (observed.live.state === 'waiting_for_permission') return t('Waiting for permission');
  return observed.live.state === 'waiting_for_you' ? t('Waiting for you') : stateWord(state);
}

/** Agent of another program's session, and where it was started. */
function observedPlace({ observed, agent_label }: SessionRow): string[] {
  if (observed === undefined) return [];
  return [agent_label, ...(observed.entry_point === null ? [] : [placeText(observed.entry_point)])];
}

/** Member of the team whose machine runs it, and the machine. */
function sharedPlace({ shared, remote }: SessionRow): string[] {
  const { member, hostname } = shared ?? remote ?? {};
  return [member, hostname].flatMap((name) => (name === undefined ? [] : [visibleText(name)]));
}

/** What of a session the team can see, as text: its records or only its metadata; none if it is not shared. */
export function shareMark({ share = 'nothing' }: SessionRow): string[] {
  if (share === 'nothing') return [];
  return [share === 'records' ? t('Shared') : t('Metadata shared')];
}

/** Days until the agent deletes its session file. */
export function deletionText(agentLabel: string, days: number): string {
  const label = visibleText(agentLabel);
  if (days === 0) return t('{0} deletes this transcript within a day.', label);
  if (days === 1) return t('{0} deletes this transcript in 1 day.', label);
  return t('{0} deletes this transcript in {1} days.', label, days);
}

/** Where a session was started; `null`: in Vitrine. */
export function placeText(entryPoint: 'terminal' | 'sdk' | 'chat' | null): string {
  switch (entryPoint) {
    case 'terminal':
      return t('Terminal');
    case 'sdk':
      return t('SDK');
    case 'chat':
      return t('Editor chat');
    case null:
      return t('Vitrine');
  }
}

/** Without any known cost, there is no amount. */
export function todayText({ usd, isEstimated, hasUnknownCosts, isLowerBound }: CostToday): string {
  if (hasUnknownCosts && usd === 0) return t('cost unknown today');
  const amount = `${isEstimated ? '≈ ' : ''}${figures.money(usd)}`;
  if (hasUnknownCosts) return t('{0} + unknown costs today', amount);
  return isLowerBound ? t('at least {0} today', amount) : t('{0} today', amount);
}
