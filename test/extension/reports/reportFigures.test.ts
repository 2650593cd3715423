import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { comparisonText } from '../../../src/cli/race/comparisonText.ts';
import { compareSessions } from '../../../src/engine/race/compare/compare.ts';
import { localDay } from '../../../src/engine/usage/localDay.ts';
import { reportMarkdown } from '../../../src/formats/pages/reportMarkdown.ts';
import { awaySummary } from '../../../src/insight/away/awaySummary.ts';
import { usageReport } from '../../../src/insight/usage/usageReport.ts';
import type { Report, ReportBody, ReportCell } from '../../../src/model/pages/report.ts';
import { awayReport } from '../../../src/vscode/away/awayReport.ts';
import type { SessionHandle, WindowEngine } from '../../../src/vscode/engine/windowEngine.ts';
import { statusLines } from '../../../src/vscode/daemon/daemonStatus.ts';
import { followUpReport } from '../../../src/vscode/followUps/followUpReport.ts';
import { agentComparison, buildSessionCapabilityReport } from '../../../src/vscode/pages/capabilities.ts';
import { costReport } from '../../../src/vscode/pages/cost.ts';
import { doctorReport } from '../../../src/vscode/pages/doctor.ts';
import { ReportActions, type BuiltReport } from '../../../src/vscode/pages/reportKind.ts';
import { verificationReport } from '../../../src/vscode/pages/verification.ts';
import { sessionComparison } from '../../../src/vscode/races/comparisonPage.ts';
import { resumeReport } from '../../../src/vscode/resume/resumeReport.ts';
import { SessionList } from '../../../src/vscode/sessions/sessionList.ts';
import { costText, sumText } from '../../../src/vscode/sessions/rowText.ts';
import { rowOf } from '../../../src/vscode/sessions/sessionRow.ts';
import { figures } from '../../../src/vscode/text/numberFormat.ts';
import type { WorkspaceIndex } from '../../../src/vscode/window/workspaceIndex.ts';
import { sumText as pageSum } from '../../../webview/figures/costText.ts';
import { totalTokens, type Cost } from '../../../src/model/usage/usage.ts';
import { findNoise } from '../../support/captures/recordedSession.ts';
import { recordedStore } from '../../support/captures/recordedStore.ts';

const nothing = { dispose: () => undefined };
const at = (time: string, days: number): number => Date.parse(time) + days * 24 * 60 * 60_000;

describe('reports about recorded sessions', function () {
  this.timeout(240_000);
  let store: Awaited<ReturnType<typeof recordedStore>>;
  let engine: WindowEngine;
  let list: SessionList;
  before(async () => {
    store = await recordedStore(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '');
    const races = { compareSessions: (ids: readonly string[]) => compareSessions(ids, store.reading.open) };
    engine = Object.assign(store.reading, { races, onSummary: () => nothing }) as unknown as WindowEngine;
    const index: Partial<WorkspaceIndex> = { load: () => undefined, save: () => Promise.resolve() };
    list = new SessionList(index as WorkspaceIndex, Date.now);
  });
  after(async () => {
    list.dispose();
    await store.remove();
  });
  const work = () => ({
    signal: new AbortController().signal,
    actions: new ReportActions('0'),
    progress: () => undefined,
  });
  const withHandle = async (id: string, use: (handle: SessionHandle) => Promise<BuiltReport>): Promise<BuiltReport> => {
    const handle = await engine.open(id);
    try {
      return await use(handle);
    } finally {
      handle.dispose();
    }
  };

  it('have no noise in costs, capabilities, resume checks and verifications', async () => {
    assert.ok(store.sessions.length >= 300, String(store.sessions.length));
    const found: string[] = [];
    for (const { name, printed, summary } of store.sessions) {
      const id = summary.session_id;
      const reports = {
        cost: await withHandle(id, (handle) => costReport(handle, work())),
        capabilities: await withHandle(id, (handle) => buildSessionCapabilityReport(engine, handle, work())),
        resume: await withHandle(id, (handle) => resumeReport(engine, handle.summary(), work())),
        verification: await verificationReport(engine, id, work()),
      };
      assert.equal(reports.verification.verdict, 'intact', name);
      for (const [kind, { report }] of Object.entries(reports))
        found.push(...noiseOf(report, printed).map((noise) => `${name}, ${kind}: ${noise}`));
    }
    assert.deepEqual(found, []);
  });

  it('have no noise in reports about all of them', async () => {
    const summaries = await engine.list();
    const rows = summaries.map((summary) => rowOf(summary));
    const since = store.sessions[0]?.turn.startedAt ?? '';
    const away = {
      since: new Date(at(since, -1)).toISOString(),
      summary: () => awaySummary(rows, { at: new Date(at(since, -1)).toISOString(), running: new Set<string>() }),
      interruptedSessions: () => [],
    };
    const log = vscode.window.createOutputChannel('figures', { log: true });
    const doctor = { engine, list, store: store.dir, version: '0.0.0', log };
    const sessionId = store.sessions[0]?.summary.session_id ?? '';
    const reports = {
      doctor: await doctorReport(doctor, work()),
      comparison: await agentComparison(engine, work()),
      away: await awayReport({ engine, away, now: at(store.last, 1) }, work()),
      followUps: await followUpReport({ engine, sessionId, now: at(store.last, 1) }, work()),
    };
    log.dispose();
    const printed = store.sessions.map((session) => session.printed).join('\n');
    const found = Object.entries(reports).flatMap(([kind, { report }]) =>
      noiseOf(report, printed).map((noise) => `${kind}: ${noise}`),
    );
    assert.deepEqual(found, []);
    const shown = (report: Report): number =>
      report.sections.flatMap(({ tables = [] }) => tables).reduce((sum, { rows: all }) => sum + all.length, 0);
    assert.ok(shown(reports.away.report) >= 200, String(shown(reports.away.report)));
    assert.ok(shown(reports.followUps.report) >= 200, String(shown(reports.followUps.report)));
  });

  it('have no noise in comparisons, and show the cost of each session like lists', async () => {
    const found: string[] = [];
    for (let from = 0; from + 1 < store.sessions.length; from += 3) {
      const some = store.sessions.slice(from, from + 3);
      const ids = some.map(({ summary }) => summary.session_id);
      const { report } = await sessionComparison({ engine, list }, ids, work());
      const printed = some.map((session) => session.printed).join('\n');
      const text = comparisonText(await engine.races.compareSessions(ids));
      const noise = [...noiseOf(report, printed), ...findNoise(text, printed)];
      found.push(...noise.map((problem) => `${some[0]?.name} and others: ${problem}`));
      const shown = reportMarkdown(report).replaceAll('\\', '');
      for (const { name, summary } of some) {
        const cost = summary.total_cost;
        if (cost.provenance === 'unknown') continue;
        if (!shown.includes(costText(cost))) found.push(`${name}: not ${costText(cost)} in the page`);
        if (!text.includes(costText(cost).replace('≈ ', '~')))
          found.push(`${name}: not ${costText(cost)} in the terminal`);
      }
    }
    assert.deepEqual(found, []);
  });

  it('and the status of the daemon have no noise', () => {
    const sizes = [0, 1, 999_999, 123_456_789, 2 ** 31];
    const found = sizes.flatMap((rss) => {
      const status = { pid: 4321, version: '0.0.0', protocol: 1, since: store.last, clients: 2, runs: 0, rss };
      return findNoise(statusLines(status).join('\n'));
    });
    assert.deepEqual(found, []);
  });

  it('show a cost, tokens and a duration like lists and the usage view', async () => {
    const { runSpending } = await engine.archive.spending();
    const found: string[] = [];
    for (const { name, summary, turn } of store.sessions) {
      const { session_id: id, cost, usage, total_cost: totalCost, total_usage: totalUsage } = summary;
      const built = await withHandle(id, (handle) => costReport(handle, work()));
      const cells = new Map(
        built.report.sections.slice(0, 3).map(({ title, tables = [] }) => [title, tables[0]?.rows.at(-1) ?? []]),
      );
      const expect = (what: string, content: string | undefined, expected: string): void => {
        if (content !== expected) found.push(`${name}, ${what}: ${content}, not ${expected}`);
      };
      const [, sum, input, output] = cells.get('Totals') ?? [];
      expect('cost', sum?.text, money(totalCost));
      expect('input', input?.text, tokens(totalUsage.input));
      expect('output', output?.text, tokens(totalUsage.output));
      const [, , , duration, ofTurn] = cells.get('By turn') ?? [];
      // The time of a run that reported none is measured.
      if (turn.durationMs !== null) expect('duration', duration?.text, figures.duration(turn.durationMs));
      expect('cost of the turn', ofTurn?.text, money(cost));
      const own = runSpending.filter(({ sessionId }) => sessionId === id);
      const day = localDay(summary.updated_at);
      const { total } = usageReport(own, day.slice(0, 7), day, localDay);
      expect('usage', sumText(total), costText(cost));
      expect('usage in the page', pageSum(total), money(cost));
      expect('tokens', figures.compact(totalTokens(total.usage)), figures.compact(totalTokens(usage)));
    }
    assert.deepEqual(found, []);
  });
});

const money = (cost: Cost): string => (cost.provenance === 'unknown' ? 'unknown' : costText(cost));
const tokens = (count: number | undefined): string => (count === undefined ? '–' : figures.count(count));

/** What no one may see, in texts and in the values by which tables are sorted. */
function noiseOf(report: Report, printed: string): string[] {
  // Without what Markdown needs before marks.
  const text = reportMarkdown(report).replaceAll('\\', '');
  const bodies: readonly ReportBody[] = [report, ...report.sections];
  const cells = bodies.flatMap(({ facts = [], tables = [] }): ReportCell[] => [
    ...facts.map(({ value }) => value),
    ...tables.flatMap(({ rows }) => rows.flat()),
  ]);
  const unsound = cells.filter(({ sort }) => typeof sort === 'number' && !Number.isFinite(sort));
  const nulls = cells.filter(({ text: shown }) => /\bnull\b/.test(shown) && !printed.includes(shown));
  const short = bodies.flatMap(({ tables = [] }) =>
    tables.filter(({ columns, rows }) => rows.some((row) => row.length !== columns.length)).map(({ label }) => label),
  );
  return [...findNoise(text, printed), ...[...unsound, ...nulls].map((cell) => JSON.stringify(cell)), ...short];
}
