import * as vscode from 'vscode';
import type { ListedRunner } from '../../model/session/runner.ts';
import type { ListedRun } from '../../model/session/waiting.ts';
import { literalText, visibleText } from '../text/inertText.ts';
import {
  groupNodes,
  isRunnableHere,
  isSameGroup,
  reasonNodes,
  rowNodes,
  type QueueContents,
  type QueueGroup,
  type QueueGroupName,
  type QueueNode,
} from './queueRows.ts';
import {
  runFacts,
  runnerFacts,
  runnerParts,
  runOrigin,
  runState,
  runTitle,
  waitingSinceText,
  waitingReason,
} from './queueText.ts';

const { t } = vscode.l10n;

/** Interval in ms for updating ages in rows. A longer one is safer, because redrawing a row can lose a click. */
const redrawMs = 60_000;

export interface Place {
  readonly hostname: string;
  readonly folders: readonly string[];
}

/** Tree of waiting and running runs, and runners. */
export class QueueTree implements vscode.TreeDataProvider<QueueNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<QueueNode | undefined>();
  readonly #placeHere: () => Place;
  readonly #now: () => number;
  #contents: QueueContents = { runs: [], runners: [] };
  /** Reuses unchanged objects, so that only changed rows are redrawn. */
  #groups: QueueGroup[] = [];
  #drawnAt = 0;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(here: () => Place, now: () => number) {
    this.#placeHere = here;
    this.#now = now;
  }

  get contents(): QueueContents {
    return this.#contents;
  }

  show(contents: QueueContents): void {
    const before = this.#contents;
    this.#contents = contents;
    const groups = groupNodes(contents);
    const isOld = this.#now() - this.#drawnAt > redrawMs;
    if (isOld || JSON.stringify(groups) !== JSON.stringify(this.#groups)) {
      this.#groups = groups;
      this.#drawnAt = this.#now();
      this.#changed.fire(undefined);
      return;
    }
    for (const group of this.#groups) if (!isSameGroup(group.name, before, contents)) this.#changed.fire(group);
  }

  getChildren(node?: QueueNode): QueueNode[] {
    if (node === undefined) return this.#groups;
    if (node.kind === 'run') return reasonNodes(node.run);
    return node.kind === 'group' ? rowNodes(this.#contents, node.name) : [];
  }

  getTreeItem(node: QueueNode): vscode.TreeItem {
    switch (node.kind) {
      case 'group':
        return groupItem(node.name, node.count);
      case 'run':
        return runItem(node.run, this.#contents.runners, this.#now());
      case 'reason':
        return reasonItem(node.run);
      case 'runner': {
        const { hostname, folders } = this.#placeHere();
        return runnerItem(node.runner, isRunnableHere(node.runner, hostname, folders));
      }
      case 'more': {
        const item = new vscode.TreeItem(t('{0} more…', node.count));
        item.id = `more:${node.name}`;
        return item;
      }
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

function groupItem(name: QueueGroupName, count: number): vscode.TreeItem {
  const item = new vscode.TreeItem(groupTitle(name), vscode.TreeItemCollapsibleState.Expanded);
  item.id = `group:${name}`;
  item.description = String(count);
  item.contextValue = 'group';
  return item;
}

function groupTitle(name: QueueGroupName): string {
  switch (name) {
    case 'waiting':
      return t('Waiting');
    case 'running':
      return t('Running');
    case 'runners':
      return t('Runners');
  }
}

function runItem(run: ListedRun, runners: readonly ListedRunner[], now: number): vscode.TreeItem {
  const isWaiting = run.status === 'pending';
  const title = runTitle(run);
  const state = runState(run, runners);
  const since = waitingSinceText(run.started_at ?? run.claimed_at ?? run.created_at, now);
  const { Expanded, None } = vscode.TreeItemCollapsibleState;
  const isBlocked = reasonNodes(run).length > 0;
  const item = new vscode.TreeItem(title, isBlocked ? Expanded : None);
  // With a new id, VS Code expands a row that gets its first child.
  item.id = isBlocked ? `${run.run_id} +` : run.run_id;
  const parts = [...(isBlocked ? [] : [state]), ...runOrigin(run), since];
  item.description = parts.filter((part) => part !== '').join(' · ');
  item.iconPath = isWaiting
    ? new vscode.ThemeIcon(
        'circle-outline',
        run.waiting === undefined ? undefined : new vscode.ThemeColor('list.warningForeground'),
      )
    : new vscode.ThemeIcon('loading~spin', new vscode.ThemeColor('charts.blue'));
  item.tooltip = createTooltip(title, runFacts(run, runners));
  item.contextValue = isWaiting ? 'run waiting' : run.status === 'stopping' ? 'run stopping' : 'run active';
  const word = isWaiting ? t('waiting') : '';
  item.accessibilityInformation = {
    label: [title, word, state, ...runOrigin(run), since].filter((part) => part !== '').join(', '),
  };
  item.command = { command: 'vitrine.openSession', title: t('Open Session'), arguments: [run.session_id] };
  return item;
}

function reasonItem(run: ListedRun): vscode.TreeItem {
  const reason = waitingReason(run.waiting);
  const item = new vscode.TreeItem('');
  item.id = `${run.run_id} reason`;
  item.description = reason;
  item.tooltip = reason;
  item.iconPath = new vscode.ThemeIcon('info');
  item.accessibilityInformation = { label: reason };
  return item;
}

function runnerItem(runner: ListedRunner, here: boolean): vscode.TreeItem {
  const name = visibleText(runner.hostname);
  const parts = runnerParts(runner, here);
  const item = new vscode.TreeItem(name);
  item.id = `${runner.runner_id} ${runner.owner ?? ''}`;
  item.description = parts.join(' · ');
  item.iconPath =
    runner.status === 'stale'
      ? new vscode.ThemeIcon('debug-disconnect', new vscode.ThemeColor('list.warningForeground'))
      : new vscode.ThemeIcon('server', new vscode.ThemeColor('charts.green'));
  item.tooltip = createTooltip(name, [[t('Status'), parts.join(' · ')], ...runnerFacts(runner)]);
  item.contextValue = 'runner';
  item.accessibilityInformation = { label: [t('Runner {0}', name), ...parts].join(', ') };
  return item;
}

function createTooltip(title: string, facts: readonly (readonly [string, string])[]): vscode.MarkdownString {
  const lines = facts.map(([name, value]) => `${literalText(name)}: ${literalText(visibleText(value))}`);
  return new vscode.MarkdownString(`**${literalText(title)}**\n\n${lines.join('  \n')}`);
}
