import * as vscode from 'vscode';
import { minuteOfDay } from '../../engine/followUps/followUpReader.ts';
import { localDay } from '../../engine/usage/localDay.ts';
import type { NoFollowUpReason } from '../../insight/followUps/decide.ts';
import { dryRun, type DryRunRow, type DryRunSession } from '../../insight/followUps/dryRun.ts';
import type { FollowUpRules } from '../../insight/followUps/rules.ts';
import type { ReportCell, ReportFact, ReportSection } from '../../model/pages/report.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { command, fact, numberCell, text } from '../pages/parts.ts';
import type { BuiltReport, ReportActions, ReportWork } from '../pages/reportKind.ts';
import { sessionFacts } from '../pages/sessionFacts.ts';
import { isHere } from '../sessions/sessionList.ts';
import { titleOf } from '../sessions/sessionRow.ts';
import { figures } from '../text/numberFormat.ts';
import { triggerWord } from '../../protocol/panel/triggerWord.ts';
import { exactDateTime } from '../text/dates.ts';

const { t } = vscode.l10n;

const week = 7 * 24 * 60 * 60_000;
/** Maximum number of sessions in the dry run, the newest. */
const maxSessions = 200;

interface FollowUpReportDeps {
  readonly engine: WindowEngine;
  readonly sessionId: string;
  /** Epoch ms. */
  readonly now: number;
}

/** Explains why a session has a follow-up or none, and what would have been sent in the past week. */
export async function followUpReport(
  { engine, sessionId, now }: FollowUpReportDeps,
  work: ReportWork,
): Promise<BuiltReport> {
  const { actions, progress } = work;
  progress(t('Reading sessions…'), 0);
  const summaries = await engine.list();
  const summary = summaries.find(({ session_id: id }) => id === sessionId);
  const title = t('Why No Follow-up?');
  if (summary === undefined || summary.observed !== undefined) {
    const why = t('Another program started this session. Vitrine sends follow-ups to its own sessions only.');
    return { report: { title, text: [why], sections: [] } };
  }
  const { decision, rules } = await engine.followUpReader.look(sessionId);
  const isTrusted = vscode.workspace.isTrusted && isHere(summary);
  const verdict = !isTrusted ? 'untrusted' : decision.due ? 'due' : decision.why;
  const refresh = async (id: string, ...args: readonly unknown[]): Promise<'refresh'> => {
    await command(id, ...args)();
    return 'refresh';
  };
  return {
    verdict,
    report: {
      title,
      refreshLabel: t('Check Again'),
      facts: [
        ...sessionFacts(summary),
        fact(t('Next follow-up'), followUpCell({ decision, isTrusted, rules })),
        ...(decision.due && isTrusted
          ? [fact(t('Message'), `“${decision.prompt}”`), fact(t('Reason'), decision.trigger.reason)]
          : []),
        ...(rules === null ? [] : ruleFacts(rules)),
      ],
      actions: [
        actions.add(t('Open Session'), 'comment-discussion', command('vitrine.openSession', sessionId)),
        ...(rules === null
          ? [actions.add(t('Turn On for This Session'), 'bell', () => refresh('vitrine.followUpsOn', sessionId))]
          : [
              actions.add(t('Turn Off for This Session'), 'bell-slash', () =>
                refresh('vitrine.followUpsOff', sessionId),
              ),
            ]),
        actions.add(t('Open Settings'), 'gear', command('workbench.action.openSettings', 'vitrine.followUps')),
      ],
      sections: [await dryRunSection(engine, summaries, { now, work, actions })],
    },
  };
}

type FollowUpPreview = Awaited<ReturnType<WindowEngine['followUpReader']['look']>>;

function followUpCell({ decision, isTrusted, rules }: FollowUpPreview & { readonly isTrusted: boolean }): ReportCell {
  if (!isTrusted) {
    return text(t('None: Vitrine sends follow-ups only in trusted workspaces.'), 'warning');
  }
  if (!decision.due) return text(t('None: {0}', reasonText(decision.why, rules)), 'warning');
  return text(t('Scheduled for {0}', exactDateTime(decision.at)), 'good');
}

/** A complete sentence. */
function reasonText(why: NoFollowUpReason | 'resumed', rules: FollowUpRules | null): string {
  switch (why) {
    case 'off':
      return t('Follow-ups are off for this session.');
    case 'paused':
      return t('You paused all follow-ups.');
    case 'not_idle':
      return t('Follow-ups are sent only after a completed run, and not in child sessions, imports or recordings.');
    case 'too_old':
      return t('The session ended more than a day ago.');
    case 'nothing_open':
      return t('No unfinished work: no unanswered question, no open to-do, no pending decision.');
    case 'nothing_new':
      return t('The last follow-up was about the same unfinished work, and nothing has changed since.');
    case 'cancelled':
      return t('You cancelled the follow-up.');
    case 'session_limit':
      return t('This session has reached its limit of {0} follow-ups.', figures.count(rules?.perSession ?? 0));
    case 'day_limit':
      return t('The daily limit for follow-ups has been reached.');
    case 'budget_used_up':
      return t('The remaining follow-up budget of this session is not enough for another one.');
    case 'budget_unknown':
      return t('The cost of an earlier follow-up is unknown, so the follow-up budget cannot be checked.');
    case 'always_quiet':
      return t('The quiet hours cover the whole day.');
    case 'resumed':
      return t('The session was resumed before a follow-up was due.');
  }
}

function ruleFacts({ triggers, delayMs, perSession, perDayOfAgent, usd }: FollowUpRules): ReportFact[] {
  return [
    fact(t('Triggers'), triggers.map((type) => triggerWord(type, t)).join(', ')),
    fact(t('Delay'), figures.duration(delayMs)),
    fact(
      t('Limits'),
      [
        t('{0} per session', figures.count(perSession)),
        t('{0} per day', figures.count(perDayOfAgent)),
        ...(usd === undefined ? [] : [figures.money(usd)]),
      ].join(' · '),
    ),
  ];
}

interface DryRunWork {
  readonly now: number;
  readonly work: ReportWork;
  readonly actions: ReportActions;
}

async function dryRunSection(
  engine: WindowEngine,
  summaries: readonly SessionSummary[],
  { now, work, actions }: DryRunWork,
): Promise<ReportSection> {
  const since = now - week;
  const recent = summaries.filter(
    (summary) => summary.observed === undefined && isHere(summary) && Date.parse(summary.updated_at) >= since,
  );
  const read = recent.slice(0, maxSessions);
  const sessions: DryRunSession[] = [];
  for (const [at, { session_id: id }] of read.entries()) {
    if (work.signal.aborted) break;
    work.progress(t('Testing the rules on past sessions…'), at / read.length);
    // Skips sessions that were deleted or damaged meanwhile.
    const found = await engine.followUpReader.endedRuns(id, since).catch(() => undefined);
    if (found !== undefined) sessions.push(found);
  }
  const rows = dryRun(sessions, { minuteOfDay, dayOf: localDay });
  const byId = new Map(read.map((summary) => [summary.session_id, summary]));
  const rulesById = new Map(sessions.map(({ runs, rules }) => [runs[0]?.sessionId, rules]));
  const sent = rows.filter(({ outcome }) => outcome.sent).length;
  if (rows.length === 0)
    return { title: t('Dry Run: Past 7 Days'), text: [t('No run ended in this folder in the past 7 days.')] };
  const omitted = recent.length - read.length;
  const note = omitted === 0 ? {} : { note: t('{0} older sessions are not included.', figures.count(omitted)) };
  return {
    title: t('Dry Run: Past 7 Days'),
    text: [
      t('Vitrine would have sent follow-ups after {0} of {1} runs.', figures.count(sent), figures.count(rows.length)),
      t(
        'Vitrine applies the current rules to every run that ended in this folder. Sessions with follow-ups off are treated as if they were on. Nothing is sent.',
      ),
    ],
    tables: [
      {
        label: t('What would have been sent'),
        columns: [
          { label: t('Session') },
          { label: t('Run ended') },
          { label: t('Follow-up') },
          { label: t('Reason') },
          { label: t('Message') },
        ],
        rows: rows.map((row) => {
          const session = byId.get(row.run.sessionId);
          const open = actions.add(
            t('Open Session'),
            'comment-discussion',
            command('vitrine.openSession', row.run.sessionId),
          );
          return [
            { ...text(session === undefined ? row.run.sessionId : titleOf(session)), actions: [open] },
            numberCell(exactDateTime(row.run.endedAt), row.run.endedAt),
            ...outcomeCells(row, rulesById.get(row.run.sessionId) ?? null),
          ];
        }),
        ...note,
      },
    ],
  };
}

function outcomeCells({ outcome, isOff }: DryRunRow, rules: FollowUpRules | null): ReportCell[] {
  if (!outcome.sent) return [text(t('none'), 'dim'), text(reasonText(outcome.why, rules)), text('')];
  const at = exactDateTime(outcome.at);
  return [
    { text: isOff ? t('{0} (follow-ups are off)', at) : at, sort: outcome.at },
    text(outcome.trigger.reason),
    text(`“${outcome.prompt}”`),
  ];
}
