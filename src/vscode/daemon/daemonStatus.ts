import * as vscode from 'vscode';
import { daemonLogFile } from '../../client/machine/logFile.ts';
import { openDaemons } from '../../client/machine/openDaemons.ts';
import type { DaemonStatus } from '../../protocol/daemon/calls.ts';
import { figures } from '../text/numberFormat.ts';
import { dateTime } from '../text/dates.ts';

const { t } = vscode.l10n;

/** Running daemons of a store, the one of this version first. Starts none. */
export async function daemonStatuses(store: string, version: string): Promise<DaemonStatus[]> {
  const connections = await openDaemons(store, version);
  try {
    return await Promise.all(connections.map((connection) => connection.call('status', {})));
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Names and values for display. */
export function statusLines(status: DaemonStatus): readonly (readonly [name: string, value: string])[] {
  return [
    [t('Process'), String(status.pid)],
    [t('Version'), status.version],
    [t('Protocol'), String(status.protocol)],
    [t('Running since'), dateTime(status.since)],
    [t('Windows and terminals'), figures.count(status.clients)],
    [t('Running agents'), figures.count(status.runs)],
    [t('Memory'), t('{0} MB', figures.count(Math.round(status.rss / 1e6)))],
  ];
}

/** Shows the status of the store's daemons with possible actions. */
export async function showDaemonStatus(store: string, version: string): Promise<void> {
  const daemons = await daemonStatuses(store, version);
  const detail = daemons
    .map((status) =>
      statusLines(status)
        .map((line) => line.join(': '))
        .join('\n'),
    )
    .join('\n\n');
  const [showLog, restart] = [t('Show Log'), t('Restart When Idle')];
  const none = daemons.length === 0;
  const chosen = await vscode.window.showInformationMessage(
    none ? t('The Vitrine daemon is not running.') : t('The Vitrine daemon is running.'),
    { modal: true, detail: none ? t('It starts when you run an agent.') : detail },
    ...(none ? [showLog] : [showLog, restart]),
  );
  if (chosen === showLog) await showDaemonLog(store);
  if (chosen === restart) await retireWhenIdle(store, version);
}

async function showDaemonLog(store: string): Promise<void> {
  const file = vscode.Uri.file(daemonLogFile(store));
  try {
    await vscode.window.showTextDocument(file, { preview: true });
  } catch {
    void vscode.window.showInformationMessage(t('There is no log yet: {0}', file.fsPath));
  }
}

/** Open windows start a new daemon when this one has exited. */
async function retireWhenIdle(store: string, version: string): Promise<void> {
  const connections = await openDaemons(store, version);
  const answers = await Promise.all(connections.map((connection) => connection.call('retire', { when: 'idle' })));
  for (const connection of connections) connection.close();
  const runs = answers.reduce((sum, answer) => sum + answer.runs, 0);
  if (runs > 0)
    void vscode.window.showInformationMessage(t('The daemon restarts when its running agents have finished.'));
}
