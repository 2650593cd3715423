import * as vscode from 'vscode';
import { EngineFailure } from '../../engine/failures/failures.ts';
import { isRaceOver } from '../../model/race/race.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import type { BuiltReport, ReportWork } from '../pages/reportKind.ts';
import type { SessionList } from '../sessions/sessionList.ts';
import { needsYou } from '../sessions/sessionRow.ts';
import { figures } from '../text/numberFormat.ts';
import { raceReport, type ComparisonContext, type RaceAction, type TextFormat } from './raceReport.ts';

const { t } = vscode.l10n;

/** Interval in ms for updating figures of running sessions, which change with each message. */
const figuresMs = 3000;

const words: TextFormat = { t: (message, ...values) => vscode.l10n.t(message, ...values), figures };

interface Deps {
  readonly engine: WindowEngine;
  readonly list: Pick<SessionList, 'get'>;
}

/** Page with the results of a race, updated while it runs. */
export async function raceComparison({ engine, list }: Deps, id: string, work: ReportWork): Promise<BuiltReport> {
  const { races } = engine;
  work.progress(t('Comparing the results…'));
  const found = await races.get(id).catch(undefinedIfMissing);
  if (found === undefined) {
    const why = t('This race was cleaned up. The records of its sessions are kept.');
    return { report: { title: t('Race'), text: [why], sections: [] } };
  }
  const { race, revision } = found;
  const comparison = await races.compare(race);
  const sessions = new Set(race.lanes.flatMap(({ session_id: session }) => session ?? []));
  const button = buttons(work, (act) => runAct(id, act));
  const report = raceReport({ comparison, race, waiting: waitingOf(list, sessions), words, button });
  if (isRaceOver(race)) return { report, verdict: race.state };
  return {
    report,
    verdict: race.state,
    watch: (changed) => watch(engine, sessions, (tell) => races.onChange(id, revision, tell), changed),
  };
}

/** Page that compares sessions by their records. */
export async function sessionComparison(
  { engine, list }: Deps,
  ids: readonly string[],
  work: ReportWork,
): Promise<BuiltReport> {
  work.progress(t('Comparing the results…'));
  const comparison = await engine.races.compareSessions(ids);
  const sessions = new Set(ids);
  const button = buttons(work, (act) => runAct('', act));
  const report = raceReport({ comparison, race: null, waiting: waitingOf(list, sessions), words, button });
  if (comparison.results.every(({ outcome }) => outcome !== 'running')) return { report };
  return { report, watch: (changed) => watch(engine, sessions, () => nothing, changed) };
}

const nothing = { dispose: (): void => undefined };

/** Returns `undefined` if the race was cleaned up; rethrows other failures. */
function undefinedIfMissing(error: unknown): undefined {
  if (!EngineFailure.is(error) || error.code !== 'race_failed') throw error;
}

function waitingOf(list: Deps['list'], sessions: ReadonlySet<string>): Set<string> {
  return new Set(
    [...sessions].filter((id) => {
      const row = list.get(id);
      return row !== undefined && needsYou(row) !== undefined;
    }),
  );
}

/** Calls `changed` once: when the race changes, or some time after one of its sessions did. */
function watch(
  engine: WindowEngine,
  sessions: ReadonlySet<string>,
  race: (tell: () => void) => { dispose(): void },
  changed: () => void,
): { dispose(): void } {
  let timer: NodeJS.Timeout | undefined;
  const dispose = (): void => {
    clearTimeout(timer);
    for (const disposable of watched) disposable.dispose();
  };
  const tell = (): void => {
    dispose();
    changed();
  };
  const watched = [
    race(tell),
    engine.onSummary(({ session_id: id }) => {
      if (sessions.has(id)) timer ??= setTimeout(tell, figuresMs);
    }),
  ];
  return { dispose };
}

function buttons({ actions }: ReportWork, run: (act: RaceAction) => unknown): ComparisonContext['button'] {
  return (act, label, icon) => actions.add(label, icon, () => run(act));
}

async function runAct(race: string, act: RaceAction): Promise<'refresh' | undefined> {
  const run = (name: string, ...args: readonly string[]): Thenable<unknown> =>
    vscode.commands.executeCommand(`vitrine.${name}`, ...args);
  switch (act.kind) {
    case 'open':
      await run('openSession', act.session);
      return undefined;
    case 'review':
      await run('reviewChanges', act.session);
      return undefined;
    case 'changes':
      await run('showRaceChanges', race, act.lane);
      return undefined;
    case 'stop':
      await run('stopSession', act.session);
      return 'refresh';
    case 'apply':
      await run('applyRace', race, act.lane);
      return 'refresh';
    case 'branch':
      await run('branchRace', race, act.lane);
      return 'refresh';
    case 'undo':
      await run('undoRace', race);
      return 'refresh';
    case 'stopAll':
      await run('stopRace', race);
      return 'refresh';
    case 'clean':
      await run('cleanRace', race);
      return 'refresh';
  }
}
