import * as vscode from 'vscode';
import type { WhileAway } from '../away/whileAway.ts';
import type { EnginePaths } from '../engine/createEngine.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { SessionHandle, WindowEngine } from '../engine/windowEngine.ts';
import type { SessionList } from '../sessions/sessionList.ts';
import type { ReportKind } from './reportKind.ts';

const { t } = vscode.l10n;

/** Argument in parentheses. */
export type ReportName =
  | 'doctor'
  | 'away'
  /** (session) */
  | 'cost'
  | 'comparison'
  /** (session) */
  | 'capabilities'
  /** (session) */
  | 'followUps'
  /** (session) */
  | 'resume'
  /** (session) */
  | 'verification'
  /** (race) */
  | 'race'
  /** (sessions, separated by commas) */
  | 'sessions';

interface Deps {
  readonly engines: EngineHost;
  readonly list: SessionList;
  readonly away: WhileAway;
  readonly paths: EnginePaths;
  readonly version: string;
  readonly log: vscode.LogOutputChannel;
}

/** Code of a report is loaded on first use. */
export function reportKinds({
  engines,
  list,
  away,
  paths,
  version,
  log,
}: Deps): Readonly<Record<ReportName, ReportKind>> {
  const withSession = async <T>(id: string, use: (handle: SessionHandle, engine: WindowEngine) => Promise<T>) => {
    const engine = await engines.get();
    const handle = await engine.open(id);
    try {
      return await use(handle, engine);
    } finally {
      handle.dispose();
    }
  };
  return {
    doctor: {
      title: t('Vitrine Doctor'),
      async build(_, work) {
        const [engine, { doctorReport }] = await Promise.all([engines.get(), import('./doctor.ts')]);
        return doctorReport({ engine, list, store: paths.store, version, log }, work);
      },
    },
    away: {
      title: t('While You Were Away'),
      async build(_, work) {
        const [engine, { awayReport }] = await Promise.all([engines.get(), import('../away/awayReport.ts')]);
        return awayReport({ engine, away, now: Date.now() }, work);
      },
    },
    cost: {
      title: t('Cost Report'),
      async build(id, work) {
        const { costReport } = await import('./cost.ts');
        return withSession(id, (handle) => costReport(handle, work));
      },
    },
    comparison: {
      title: t('Compare Agents'),
      async build(_, work) {
        const [engine, { agentComparison }] = await Promise.all([engines.get(), import('./capabilities.ts')]);
        return agentComparison(engine, work);
      },
    },
    capabilities: {
      title: t('Session Capabilities'),
      async build(id, work) {
        const { buildSessionCapabilityReport } = await import('./capabilities.ts');
        return withSession(id, (handle, engine) => buildSessionCapabilityReport(engine, handle, work));
      },
    },
    followUps: {
      title: t('Why No Follow-up?'),
      async build(sessionId, work) {
        const [engine, { followUpReport }] = await Promise.all([
          engines.get(),
          import('../followUps/followUpReport.ts'),
        ]);
        return followUpReport({ engine, sessionId, now: Date.now() }, work);
      },
    },
    resume: {
      title: t('Will This Resume Here?'),
      async build(id, work) {
        const { resumeReport } = await import('../resume/resumeReport.ts');
        return withSession(id, (handle, engine) => resumeReport(engine, handle.summary(), work));
      },
    },
    verification: {
      title: t('Record Verification'),
      async build(id, work) {
        const [engine, { verificationReport }] = await Promise.all([engines.get(), import('./verification.ts')]);
        return verificationReport(engine, id, work);
      },
    },
    race: {
      title: t('Race'),
      async build(id, work) {
        const [engine, { raceComparison }] = await Promise.all([engines.get(), import('../races/comparisonPage.ts')]);
        return raceComparison({ engine, list }, id, work);
      },
    },
    sessions: {
      title: t('Compare Sessions'),
      async build(ids, work) {
        const [engine, { sessionComparison }] = await Promise.all([
          engines.get(),
          import('../races/comparisonPage.ts'),
        ]);
        return sessionComparison({ engine, list }, ids.split(','), work);
      },
    },
  };
}
