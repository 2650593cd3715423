import * as vscode from 'vscode';
import type { AgentReport } from '../engine/api.ts';
import { daemonLogFile } from '../client/machine/logFile.ts';
import { diagnose, type Diagnosis } from '../engine/diagnosis.ts';
import { daemonStatuses, statusLines } from './daemon/daemonStatus.ts';
import type { WindowEngine } from './engine/windowEngine.ts';
import { loadPrices, pricesProblem } from '../insight/prices.ts';
import type { SessionSummary } from '../model/summary.ts';
import { protocolOf } from './run/agentItems.ts';
import { isHere, type SessionList } from './sessionList.ts';
import { ownPrices, requestMinutes, stopGraceSeconds } from './settings.ts';

const { t } = vscode.l10n;
/** Of deleted sessions, the newest. */
const mostDeleted = 50;

export interface DoctorDeps {
  readonly engine: WindowEngine;
  readonly list: SessionList;
  /** Folder of the records. */
  readonly store: string;
  /** Of Vitrine. */
  readonly version: string;
}

/** The page as markdown. Looks anew, and tells the list what it found. */
export async function doctorReport({ engine, list, store, version }: DoctorDeps): Promise<string> {
  const found = await diagnose(engine, store);
  list.replace(found.summaries);
  const sections = [
    await hostSection(version),
    storeSection(found, { list, store }),
    await daemonSection(store, version),
    lostSection(found, list),
    ...found.agents.map(({ report, lastError }) => agentSection(report, errorText(lastError))),
  ];
  return `# ${t('Vitrine Doctor')}\n\n${sections.join('\n\n')}\n`;
}

async function hostSection(version: string): Promise<string> {
  const { isTrusted, workspaceFolders = [] } = vscode.workspace;
  return section(t('This window'), [
    [t('Vitrine'), version],
    [t('Editor'), `${vscode.env.appName} ${vscode.version}`],
    [t('Extension host'), `Node ${process.version}, ${process.platform} ${process.arch}`],
    [t('Remote'), vscode.env.remoteName ?? t('no')],
    [t('Workspace'), isTrusted ? t('trusted') : t('Restricted Mode: no agent is started here')],
    ...workspaceFolders.map((folder): Line => [t('Folder'), code(folder.uri.fsPath)]),
    [t('Stop'), t('{0} s for an agent to end by itself', stopGraceSeconds())],
    [t('Prices'), await pricesText()],
    [t('Approvals'), approvalsText()],
  ]);
}

function approvalsText(): string {
  const minutes = requestMinutes();
  return minutes === undefined ? t('wait until you answer') : t('denied after {0} min without an answer', minutes);
}

function storeSection(
  { summaries, running, interrupted, unreadable, leases }: Diagnosis,
  { list, store }: Pick<DoctorDeps, 'list' | 'store'>,
): string {
  return section(t('Sessions'), [
    [t('Kept in'), code(store)],
    [t('Found'), String(summaries.length)],
    [t('Shown'), String(list.visible().length)],
    [t('Hidden by you'), String(list.hidden().byUser)],
    [t('In other folders'), String(summaries.length - list.here().length)],
    [t('Running'), String(running)],
    [t('Interrupted'), String(interrupted)],
    [t('Cannot be read'), String(unreadable.length)],
    [t('Leases of running agents'), leases.length === 0 ? t('none') : leases.map(code).join(', ')],
  ]);
}

/** What runs agents. Asking starts none. */
async function daemonSection(store: string, version: string): Promise<string> {
  const daemons = await daemonStatuses(store, version);
  const states = daemons.length === 0 ? [[t('State'), t('not running')] satisfies Line] : daemons.flatMap(statusLines);
  return section(t('Daemon'), [
    ...states,
    [t('Log'), code(daemonLogFile(store))],
    [t('Restart or show its log'), t('run “Show Daemon Status”')],
  ]);
}

/** Each session that is on disk and not in the list, or that was there once, with the reason and what to do. */
function lostSection({ folders, unreadable, deleted }: Diagnosis, list: SessionList): string {
  const rows = list.here().filter((row) => row.hidden === true);
  const hides: Line[] = rows.map((row) => [
    code(row.session_id),
    t('hidden by you. “Show Hidden Sessions” shows it; “Unhide” brings it back'),
  ]);
  const elsewhere = folders
    .filter(({ folder }) => !isHere({ project_dir: folder ?? undefined }))
    .map(({ folder, sessions, gone }): Line => {
      const count = sessions.length === 1 ? t('1 session') : t('{0} sessions', sessions.length);
      const why = gone
        ? t('this folder is gone: renamed, moved or removed. “Relink Sessions…” gives them the folder of today')
        : t('another folder than those of this window. Open it, or “Show Hidden Sessions”');
      return [folder === null ? t('No folder') : code(folder), `${count}: ${why}`];
    });
  const broken = unreadable.map(({ id, reason }): Line => [code(id), t('cannot be read: {0}', code(reason))]);
  const gone = deleted
    .slice(-mostDeleted)
    .map((id): Line => [code(id), t('deleted for good. “Export Audit…” says when, and why')]);
  const all = [...hides, ...elsewhere, ...broken, ...gone];
  const nothing: Line = [t('Nothing'), t('every session on disk is in the list')];
  return section(t('Session lost?'), all.length === 0 ? [nothing] : all);
}

type Line = readonly [name: string, value: string];

const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;

function section(title: string, lines: readonly Line[]): string {
  return `## ${title}\n\n${lines.map(([name, value]) => `- ${name}: ${value}`).join('\n')}`;
}

function agentSection(agent: AgentReport, error: string): string {
  const { program, environment } = agent;
  const names = (list: readonly string[]): string => (list.length === 0 ? t('none') : list.map(code).join(', '));
  const tried = program?.tried ?? [];
  return section([agent.label, ...protocolOf(agent).map((protocol) => `(${protocol})`)].join(' '), [
    ...(agent.recording ? [[t('Program'), t('none: plays recordings that came with Vitrine')] satisfies Line] : []),
    ...(program === null ? [] : programLines(program)),
    ...(agent.recording || program === null ? [] : [[t('Login'), loginText(agent.signedIn)] satisfies Line]),
    [t('Last error'), error],
    ...tried.map((place): Line => [t('Looked at'), code(place)]),
    ...(agent.recording
      ? []
      : [
          [t('Variables withheld from it'), names(environment.removed)] satisfies Line,
          [t('Variables added by settings'), names(environment.added)] satisfies Line,
        ]),
  ]);
}

async function pricesText(): Promise<string> {
  const own = ownPrices();
  const problem = pricesProblem(own);
  const { name, date } = await loadPrices(own);
  const table = t('{0} of {1}', name, date);
  return problem === null ? table : t('{0}; vitrine.prices counts not at all: {1}', table, code(problem));
}

function loginText(signedIn: boolean | undefined): string {
  return signedIn === undefined ? t('the program does not tell') : signedIn ? t('yes') : t('no');
}

function errorText(failed: SessionSummary | null): string {
  if (failed === null) return t('none that is recorded');
  return `${failed.updated_at.slice(0, 16).replace('T', ' ')} UTC, ${code(failed.session_id)}: ${code(failed.reason ?? '')}`;
}

function programLines(program: NonNullable<AgentReport['program']>): Line[] {
  if ('path' in program) {
    return [
      [t('Program'), code(program.path)],
      [t('Version'), program.version ?? t('it did not say')],
    ];
  }
  return [[t('Program'), program.message]];
}
