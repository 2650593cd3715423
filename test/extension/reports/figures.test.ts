import assert from 'node:assert/strict';
import { rows as commandLineRows } from '../../../src/cli/commands/sessions.ts';
import { reportMarkdown } from '../../../src/formats/pages/reportMarkdown.ts';
import type { SessionHandle } from '../../../src/vscode/engine/windowEngine.ts';
import { costReport } from '../../../src/vscode/pages/cost.ts';
import { ReportActions } from '../../../src/vscode/pages/reportKind.ts';
import { costText, rowDescription, todayText } from '../../../src/vscode/sessions/rowText.ts';
import { rowOf } from '../../../src/vscode/sessions/sessionRow.ts';
import { rowLabel, rowTooltip } from '../../../src/vscode/sessions/rowTooltip.ts';
import { findNoise, recordedSessions, type RecordedSession } from '../../support/captures/recordedSession.ts';

/** As a page reads it from the daemon. */
function handleOf({ summary, turn }: RecordedSession): SessionHandle {
  const handle: Partial<SessionHandle> = {
    id: summary.session_id,
    summary: () => summary,
    turns: () => [turn],
    messages: () => Promise.resolve([]),
  };
  const ledger = (): Promise<unknown> => Promise.resolve({ totalModels: null });
  return Object.assign(handle, { ledger }) as unknown as SessionHandle;
}

describe('figures of recorded sessions in the window', function () {
  let sessions: readonly RecordedSession[];
  before(async () => (sessions = await recordedSessions()));

  it('have no noise in rows, their hover, the status bar, the cost report and the command line', async () => {
    assert.ok(sessions.length >= 300, String(sessions.length));
    const found: string[] = [];
    for (const session of sessions) {
      const { name, printed, summary } = session;
      const row = rowOf(summary);
      const now = Date.parse(summary.updated_at);
      const work = { signal: new AbortController().signal, actions: new ReportActions('0'), progress: () => undefined };
      const report = reportMarkdown((await costReport(handleOf(session), work)).report);
      const [line = ''] = commandLineRows([summary], [], new Set());
      const texts = {
        row: rowDescription(row, now),
        label: rowLabel(row, now),
        // Without what Markdown needs before marks.
        hover: rowTooltip(row, now, undefined).value.replaceAll('\\', ''),
        today: todayOf(summary.total_cost),
        report: report.replaceAll('\\', ''),
        line,
      };
      for (const [place, text] of Object.entries(texts)) {
        found.push(...findNoise(text, printed).map((noise) => `${name}, ${place}: ${noise}`));
        if (summary.total_cost.provenance === 'unknown') continue;
        // Terminals mark an estimate by a character that each of them has.
        const amount = costText(summary.total_cost).replace('≈ ', place === 'line' ? '~' : '≈ ');
        if (!text.includes(amount)) found.push(`${name}, ${place}: not ${amount}`);
      }
    }
    assert.deepEqual(found, []);
  });
});

/** Of the status bar. */
function todayOf(cost: RecordedSession['summary']['total_cost']): string {
  const isUnknown = cost.provenance === 'unknown';
  const isEstimated = cost.provenance === 'estimated';
  return todayText({
    usd: isUnknown ? 0 : cost.usd,
    isEstimated,
    hasUnknownCosts: isUnknown,
    isLowerBound: false,
    hasSessions: true,
  });
}
