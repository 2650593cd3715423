import * as vscode from 'vscode';
import type { AwaySummary } from '../../insight/away/awaySummary.ts';
import type { ChangedFile } from '../../insight/away/changedFiles.ts';
import { addCost, noCosts } from '../../insight/ledger/money.ts';
import type { ReportAction, ReportCell, ReportSection, ReportTone } from '../../model/pages/report.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { figures } from '../text/numberFormat.ts';
import { changeWord } from '../pages/changeWord.ts';
import { code, command, fact, numberCell, text } from '../pages/parts.ts';
import type { BuiltReport, ReportWork } from '../pages/reportKind.ts';
import { costText, stateOf, stateWord, sumText, waitingText } from '../sessions/rowText.ts';
import { needsYou, titleOf, type SessionRow } from '../sessions/sessionRow.ts';
import { filesSince } from './filesSince.ts';
import type { WhileAway } from './whileAway.ts';
import { dateTime } from '../text/dates.ts';

const { t } = vscode.l10n;

/** Maximum number of sessions and of files in the report; the newest are listed. */
const maxSessions = 200;
const maxFiles = 1000;
/** Maximum number of sessions whose files are read. */
const maxRead = 50;

interface AwayReportDeps {
  readonly engine: WindowEngine;
  readonly away: Pick<WhileAway, 'since' | 'summary' | 'interruptedSessions'>;
  /** Epoch ms. */
  readonly now: number;
}

/** What happened in this folder since a window was last open. Reads the records of changed sessions. */
export async function awayReport(
  deps: AwayReportDeps,
  { actions, progress, signal }: ReportWork,
): Promise<BuiltReport> {
  const { engine, away, now } = deps;
  const { since } = away;
  const [summary, interrupted] = [away.summary(), away.interruptedSessions()];
  const title = t('While You Were Away');
  if (since === undefined)
    return { report: { title, text: [t('You have opened this folder for the first time.')], sections: [] } };
  const { needsYou: waitingRows, failed, stopped, finished, running } = summary;
  const all = [...waitingRows, ...summary.interrupted, ...failed, ...stopped, ...finished, ...running];
  const open = (row: SessionRow): ReportAction =>
    actions.add(t('Open Session'), 'comment-discussion', command('vitrine.openSession', row.session_id));
  const changed: (ChangedFile & { readonly row: SessionRow })[] = [];
  let isCut = all.length > maxRead;
  for (const [at, row] of all.slice(0, maxRead).entries()) {
    if (signal.aborted) break;
    progress(t('Reading changes…'), at / Math.min(all.length, maxRead));
    const found = await filesSince(engine, row.session_id, since);
    changed.push(...found.files.map((file) => ({ ...file, row })));
    isCut ||= found.isCut;
  }
  const spent = await costTextSince(engine, all, since);
  return {
    report: {
      title,
      facts: [
        fact(t('Since'), dateTime(since)),
        fact(t('Sessions'), countsOf(summary)),
        fact(t('Cost of finished runs'), spent),
        fact(t('Files changed'), figures.count(new Set(changed.map(({ path }) => path)).size)),
      ],
      actions: [
        ...(interrupted.length > 0 ? [actions.add(t('Resume All'), 'debug-continue', resumeAll)] : []),
        ...(waitingRows.length > 0
          ? [actions.add(t('Review Request'), 'shield', command('vitrine.reviewRequest'))]
          : []),
        actions.add(t('Show Sessions'), 'list-tree', command('vitrine.sessions.focus')),
      ],
      sections: [sessionSection(all, open, now), fileSection(changed, open, isCut)],
    },
  };
}

async function resumeAll(): Promise<'refresh'> {
  await vscode.commands.executeCommand('vitrine.resumeAll');
  return 'refresh';
}

function countsOf({ needsYou: waitingRows, interrupted, failed, stopped, finished, running }: AwaySummary<SessionRow>) {
  const parts = [
    ...(waitingRows.length > 0 ? [t('{0} waiting for you', waitingRows.length)] : []),
    ...(interrupted.length > 0 ? [t('{0} interrupted', interrupted.length)] : []),
    ...(failed.length > 0 ? [t('{0} failed', failed.length)] : []),
    ...(stopped.length > 0 ? [t('{0} stopped', stopped.length)] : []),
    ...(finished.length > 0 ? [t('{0} finished', finished.length)] : []),
    ...(running.length > 0 ? [t('{0} running', running.length)] : []),
  ];
  return parts.length === 0 ? t('nothing happened') : parts.join(' · ');
}

async function costTextSince(engine: WindowEngine, rows: readonly SessionRow[], since: string): Promise<string> {
  const ids = new Set(rows.map(({ session_id: id }) => id));
  const { runSpending } = await engine.archive.spending();
  const later = runSpending.filter(({ sessionId, at }) => ids.has(sessionId) && at > since);
  return later.length === 0 ? t('nothing') : sumText(later.map(({ cost }) => cost).reduce(addCost, noCosts));
}

function sessionSection(
  rows: readonly SessionRow[],
  open: (row: SessionRow) => ReportAction,
  now: number,
): ReportSection {
  const shown = rows.slice(0, maxSessions);
  const omitted = rows.length - shown.length;
  if (rows.length === 0) return { title: t('Sessions'), text: [t('Nothing has happened since then.')] };
  return {
    title: t('Sessions'),
    tables: [
      {
        label: t('What happened to each session'),
        columns: [
          { label: t('Session') },
          { label: t('State') },
          { label: t('Cost of the session'), numeric: true },
          { label: t('Last change') },
        ],
        rows: shown.map((row) => [
          { ...text(titleOf(row)), actions: [open(row)] },
          stateCell(row, now),
          costCell(row),
          { text: dateTime(row.updated_at), sort: row.updated_at },
        ]),
        ...(omitted > 0 && { note: t('{0} more are not listed.', omitted) }),
      },
    ],
  };
}

const tones: Partial<Record<ReturnType<typeof stateOf>, ReportTone>> = {
  finished: 'good',
  failed: 'error',
  approval: 'warning',
  interrupted: 'warning',
  paused: 'warning',
};

function stateCell(row: SessionRow, now: number): ReportCell {
  const state = stateOf(row);
  const needs = needsYou(row);
  const why = needs === undefined ? row.reason : `${needs.title} · ${waitingText(needs.since, now)}`;
  return text(why === undefined ? stateWord(state) : `${stateWord(state)}: ${why}`, tones[state]);
}

function costCell({ total_cost: cost }: SessionRow): ReportCell {
  return cost.provenance === 'unknown' ? { text: t('unknown'), sort: null } : numberCell(costText(cost), cost.usd);
}

function fileSection(
  files: readonly (ChangedFile & { readonly row: SessionRow })[],
  open: (row: SessionRow) => ReportAction,
  isCut: boolean,
): ReportSection {
  const shown = files.slice(0, maxFiles);
  const isWhole = !isCut && shown.length === files.length;
  if (files.length === 0) return { title: t('Files'), text: [t('No agent has reported any file changes.')] };
  return {
    title: t('Files'),
    tables: [
      {
        label: t('Files that agents changed, as their tool calls reported'),
        columns: [
          { label: t('File') },
          { label: t('Change') },
          { label: t('Lines added'), numeric: true },
          { label: t('Lines removed'), numeric: true },
          { label: t('Session') },
        ],
        rows: shown.map(({ path, change, added, removed, counted, row }) => [
          code(path),
          text(changeWord(change, t)),
          lineCell(added, counted),
          lineCell(removed, counted),
          { ...text(titleOf(row)), actions: [open(row)] },
        ]),
        ...(!isWhole && { note: t('Too many changes: not every file is listed.') }),
      },
    ],
  };
}

function lineCell(lines: number, isCounted: boolean): ReportCell {
  return isCounted ? numberCell(figures.count(lines), lines) : { text: t('unknown'), sort: null };
}
