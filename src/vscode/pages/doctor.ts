import * as vscode from 'vscode';
import type { AgentReport } from '../../engine/api.ts';
import { daemonLogFile } from '../../client/machine/logFile.ts';
import { diagnose, type Diagnosis } from '../../engine/diagnosis.ts';
import { loadPrices, pricesProblem } from '../../insight/prices/prices.ts';
import type { ReportCell, ReportFact, ReportSection, ReportTable } from '../../model/pages/report.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { daemonStatuses, statusLines } from '../daemon/daemonStatus.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { nameOf, protocolLabels } from '../run/steps/agentItems.ts';
import { installAddress, placeSetting } from '../run/steps/agentPlaces.ts';
import { isHere, type SessionList } from '../sessions/sessionList.ts';
import { ownPrices, requestMinutes, stopGraceSeconds } from '../settings/settings.ts';
import { code, command, fact, text } from './parts.ts';
import type { BuiltReport, ReportActions, ReportWork } from './reportKind.ts';

const { t } = vscode.l10n;
/** Maximum number of deleted sessions to list, the newest. */
const maxDeleted = 50;

export interface DoctorDeps {
  readonly engine: WindowEngine;
  readonly list: SessionList;
  /** Folder of the session records. */
  readonly store: string;
  /** Version of Vitrine. */
  readonly version: string;
  readonly log: vscode.LogOutputChannel;
}

/** Installed agents, stored sessions and problems. Names of variables, never values. Refreshes the list, too. */
export async function doctorReport(
  { engine, list, store, version, log }: DoctorDeps,
  { actions, progress }: ReportWork,
): Promise<BuiltReport> {
  progress(t('Looking for agents and sessions…'));
  const found = await diagnose(engine, store);
  list.replace(found.summaries);
  return {
    report: {
      title: t('Vitrine Doctor'),
      refreshLabel: t('Check Again'),
      actions: [
        actions.add(t('Open Log'), 'output', () => log.show()),
        actions.add(t('Open Settings'), 'gear', command('workbench.action.openSettings', '@ext:vitrine.vitrine')),
      ],
      sections: [
        {
          title: t('Agents'),
          tables: [agentTable(found, actions)],
          actions: [
            actions.add(t('Compare Agents'), 'list-flat', command('vitrine.compareAgents')),
            actions.add(t('Copy Runner Command…'), 'terminal', command('vitrine.copyRunnerCommand')),
          ],
        },
        await hostSection(version),
        storeSection(found, { list, store }),
        await daemonSection(store, version, actions),
        missingSection(found, list, actions),
        ...found.agents.map(({ report, lastError }) => agentSection(report, lastError)),
      ],
    },
  };
}

function agentTable({ agents }: Diagnosis, actions: ReportActions): ReportTable {
  return {
    label: t('Agents on this machine'),
    columns: [
      { label: t('Agent') },
      { label: t('State') },
      { label: t('Version') },
      { label: t('Login') },
      { label: t('Actions') },
    ],
    rows: agents.map(({ report }) => [
      text(labelOf(report)),
      stateCell(report),
      text(versionOf(report) ?? ''),
      report.recording || report.program === null || isMissing(report) ? text('') : loginCell(report.signedIn),
      { text: '', actions: report.recording ? [] : agentActions(report, actions) },
    ]),
  };
}

function labelOf(agent: AgentReport): string {
  return [agent.label, ...protocolLabels(agent).map((protocol) => `(${protocol})`)].join(' ');
}

function versionOf({ program }: AgentReport): string | undefined {
  return program !== null && 'path' in program ? (program.version ?? undefined) : undefined;
}

const isMissing = ({ program }: AgentReport): boolean => program !== null && !('path' in program);

function stateCell(agent: AgentReport): ReportCell {
  if (agent.recording) return text(t('plays recordings bundled with Vitrine'), 'dim');
  if (isMissing(agent)) return text(t('not found'), 'warning');
  return text(agent.program === null ? t('configured') : t('found'), 'good');
}

function loginCell(signedIn: boolean | undefined): ReportCell {
  if (signedIn === undefined) return text(t('not reported by the program'), 'dim');
  return signedIn ? text(t('yes'), 'good') : text(t('no'), 'warning');
}

function agentActions(agent: AgentReport, actions: ReportActions) {
  const name = nameOf(agent);
  const address = isMissing(agent) ? installAddress(name) : undefined;
  const install =
    address === undefined
      ? []
      : [actions.add(t('How to Install'), 'link-external', () => vscode.env.openExternal(vscode.Uri.parse(address)))];
  return [
    ...install,
    actions.add(t('Set Path…'), 'gear', command('workbench.action.openSettings', placeSetting(name))),
  ];
}

async function hostSection(version: string): Promise<ReportSection> {
  const { isTrusted, workspaceFolders = [] } = vscode.workspace;
  return {
    title: t('This window'),
    facts: [
      fact(t('Vitrine'), version),
      fact(t('Editor'), `${vscode.env.appName} ${vscode.version}`),
      fact(t('Extension host'), `Node ${process.version}, ${process.platform} ${process.arch}`),
      fact(t('Remote'), vscode.env.remoteName ?? t('no')),
      {
        name: t('Workspace'),
        value: isTrusted ? text(t('trusted')) : text(t('Restricted Mode: agents cannot be started here'), 'warning'),
      },
      ...workspaceFolders.map((folder) => fact(t('Folder'), code(folder.uri.fsPath))),
      fact(t('Stop'), t('Agents get {0} seconds to exit before Vitrine terminates them', stopGraceSeconds())),
      ...(await priceFacts()),
      fact(t('Approvals'), approvalsText()),
    ],
  };
}

function approvalsText(): string {
  const minutes = requestMinutes();
  return minutes === undefined ? t('wait until you answer') : t('denied after {0} min without an answer', minutes);
}

async function priceFacts(): Promise<ReportFact[]> {
  const own = ownPrices();
  const problem = pricesProblem(own);
  const { name, date } = await loadPrices(own);
  const table = fact(t('Prices'), t('{0} of {1}', name, date));
  if (problem === null) return [table];
  return [table, { name: 'vitrine.prices', value: text(t('ignored: {0}', problem), 'warning') }];
}

function storeSection(
  { summaries, running, interrupted, unreadable, leases }: Diagnosis,
  { list, store }: Pick<DoctorDeps, 'list' | 'store'>,
): ReportSection {
  return {
    title: t('Sessions'),
    facts: [
      fact(t('Store'), code(store)),
      fact(t('Found'), String(summaries.length)),
      fact(t('Visible'), String(list.visible().length)),
      fact(t('Hidden by you'), String(list.hidden().hiddenByUser)),
      fact(t('In other folders'), String(summaries.length - list.here().length)),
      fact(t('Running'), String(running)),
      fact(t('Interrupted'), String(interrupted)),
      {
        name: t('Cannot be read'),
        value: text(String(unreadable.length), unreadable.length === 0 ? undefined : 'error'),
      },
      fact(t('Locks held by running agents'), leases.length === 0 ? t('none') : code(leases.join(', '))),
    ],
  };
}

/** State of the daemon; does not start it. */
async function daemonSection(store: string, version: string, actions: ReportActions): Promise<ReportSection> {
  const daemons = await daemonStatuses(store, version);
  const states = daemons.flatMap(statusLines).map(([name, value]) => fact(name, value));
  return {
    title: t('Daemon'),
    facts: [
      ...(states.length === 0 ? [fact(t('State'), t('not running'))] : states),
      fact(t('Log'), code(daemonLogFile(store))),
    ],
    actions: [actions.add(t('Show Daemon Status'), 'server-process', command('vitrine.showDaemonStatus'))],
  };
}

/** Stored or deleted sessions that are missing in the list, with the reason and what to do. */
function missingSection(
  { folders, unreadable, deleted }: Diagnosis,
  list: SessionList,
  actions: ReportActions,
): ReportSection {
  const add = (label: string, icon: string, id: string, ...args: readonly unknown[]) => [
    actions.add(label, icon, async () => {
      await vscode.commands.executeCommand(id, ...args);
      return 'refresh';
    }),
  ];
  const hidden = list
    .here()
    .filter((row) => row.hidden === true)
    .map((row) => [
      code(row.session_id),
      text(t('hidden by you')),
      { text: '', actions: add(t('Unhide'), 'eye', 'vitrine.unhideSession', row.session_id) },
    ]);
  const others = folders
    .filter(({ folder }) => !isHere({ project_dir: folder ?? undefined }))
    .map(({ folder, sessions, isMissing }) => {
      const count = sessions.length === 1 ? t('1 session') : t('{0} sessions', sessions.length);
      const why = isMissing
        ? t('{0} in a folder that was renamed, moved or removed', count)
        : t('{0} in a folder that is not open in this window', count);
      const help = isMissing
        ? add(t('Relink Sessions…'), 'link', 'vitrine.relinkSessions')
        : add(t('Show All Folders'), 'eye', 'vitrine.showHiddenSessions');
      return [folder === null ? text(t('No folder')) : code(folder), text(why), { text: '', actions: help }];
    });
  const broken = unreadable.map(({ id, reason }) => [
    code(id),
    text(t('cannot be read: {0}', reason), 'error'),
    text(''),
  ]);
  const deletedRows = deleted
    .slice(-maxDeleted)
    .map((id) => [
      code(id),
      text(t('permanently deleted. See the audit for the time and reason')),
      { text: '', actions: add(t('Export Audit…'), 'export', 'vitrine.exportAudit') },
    ]);
  const rows = [...hidden, ...others, ...broken, ...deletedRows];
  const title = t('Missing sessions');
  if (rows.length === 0) return { title, text: [t('The list already shows every session on disk.')] };
  const columns = [{ label: t('Session or folder') }, { label: t('Why it is not listed') }, { label: t('Actions') }];
  return { title, tables: [{ label: t('Sessions missing from the Sessions view'), columns, rows }] };
}

function agentSection(agent: AgentReport, lastError: SessionSummary | null): ReportSection {
  const { program, environment, recording } = agent;
  const names = (all: readonly string[]): ReportCell | string => (all.length === 0 ? t('none') : code(all.join(', ')));
  const tried = program?.tried ?? [];
  return {
    title: labelOf(agent),
    collapsed: true,
    facts: [
      ...programFacts(agent),
      ...(recording || program === null || isMissing(agent)
        ? []
        : [{ name: t('Login'), value: loginCell(agent.signedIn) }]),
      ...errorFacts(lastError),
      ...tried.map((place) => fact(t('Search location'), code(place))),
      ...(recording
        ? []
        : [
            fact(t('Variables removed'), names(environment.removed)),
            fact(t('Variables added by settings'), names(environment.added)),
          ]),
    ],
  };
}

function programFacts({ program, recording }: AgentReport): ReportFact[] {
  if (recording) return [fact(t('Program'), t('none: plays recordings bundled with Vitrine'))];
  if (program === null) return [];
  if (!('path' in program)) return [{ name: t('Program'), value: text(program.message, 'warning') }];
  return [
    fact(t('Program'), code(program.path)),
    fact(t('Version'), program.version ?? t('not reported by the program')),
  ];
}

function errorFacts(failed: SessionSummary | null): ReportFact[] {
  if (failed === null) return [fact(t('Last error'), t('none recorded'))];
  const at = `${failed.updated_at.slice(0, 16).replace('T', ' ')} UTC`;
  return [{ name: t('Last error'), value: text(`${at}, ${failed.session_id}: ${failed.reason ?? ''}`, 'error') }];
}
