import * as vscode from 'vscode';
import { isSessionLive } from '../../model/session/status.ts';
import { createFamilyFinder, type Family } from './familyCost.ts';
import { isForkable } from '../resume/fork.ts';
import { isFiltering } from '../observed/filter.ts';
import { isProgrammatic, observedContext, programmaticItem } from '../observed/observedItems.ts';
import { groupSessions, type GroupName, type SessionGroup, type SessionNode } from './sessionGroups.ts';
import { hiddenTotal, type HiddenCount, type SessionList } from './sessionList.ts';
import { unseenText } from '../away/unseenText.ts';
import { needsYou, titleOf } from './sessionRow.ts';
import { rowDescription, stateIcon, stateOf } from './rowText.ts';
import { rowLabel, rowTooltip } from './rowTooltip.ts';

const { t } = vscode.l10n;

/** Sessions per group before its "more" row, which shows as many again. */
const pageSize = 50;
/** Update interval in ms during runs. */
const tick = 5000;

export type TreeNode =
  | { readonly kind: 'group'; readonly group: SessionGroup }
  | { readonly kind: 'session'; readonly node: SessionNode; readonly parent: TreeNode | undefined }
  | { readonly kind: 'programmatic'; readonly name: GroupName; readonly nodes: readonly SessionNode[] }
  | { readonly kind: 'more'; readonly name: GroupName; readonly count: number }
  | { readonly kind: 'hidden'; readonly count: HiddenCount }
  | { readonly kind: 'unreadable'; readonly count: number }
  | { readonly kind: 'filtered' };

/** The Sessions view. */
export class SessionTree implements vscode.TreeDataProvider<TreeNode> {
  readonly #list: SessionList;
  readonly #now: () => number;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #view: vscode.TreeView<TreeNode>;
  readonly #disposables: readonly { dispose(): unknown }[];
  readonly #shownCounts = new Map<GroupName, number>();
  readonly #emptyText: () => string;
  #families = createFamilyFinder([]);
  #unseenCount = 0;
  #clock: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  /** `onLook`: called when the view becomes visible. `emptyText`: shown without sessions. */
  constructor(list: SessionList, now: () => number, onLook: () => void, emptyText: () => string) {
    this.#list = list;
    this.#emptyText = emptyText;
    this.#now = now;
    this.#view = vscode.window.createTreeView('vitrine.sessions', {
      treeDataProvider: this,
      showCollapseAll: true,
      canSelectMany: true,
    });
    this.#disposables = [
      this.#view,
      this.#changed,
      list.onDidChange(() => this.#refresh()),
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible) onLook();
        this.#updateTimer();
      }),
    ];
    if (this.#view.visible) onLook();
    this.#refresh();
  }

  async reveal(id: string): Promise<void> {
    const found = this.#find(this.getChildren(), id);
    if (found !== undefined && this.#view.visible) await this.#view.reveal(found, { select: true, focus: false });
  }

  /** Number of sessions with unseen changes. */
  showUnseenCount(count: number): void {
    this.#unseenCount = count;
    this.#view.badge = badge(this.#list, count);
  }

  showMore(name: GroupName): void {
    this.#shownCounts.set(name, (this.#shownCounts.get(name) ?? pageSize) + pageSize);
    this.#changed.fire();
  }

  getChildren(node?: TreeNode): TreeNode[] {
    if (node === undefined) return this.#createRoots();
    if (node.kind === 'session') {
      return node.node.children.map((child) => ({ kind: 'session', node: child, parent: node }));
    }
    if (node.kind === 'programmatic') {
      return node.nodes.map((sessionNode): TreeNode => ({ kind: 'session', node: sessionNode, parent: node }));
    }
    if (node.kind !== 'group') return [];
    const { name } = node.group;
    const folded = node.group.nodes.filter(({ row }) => isProgrammatic(row));
    const nodes = node.group.nodes.filter(({ row }) => !isProgrammatic(row));
    const shown = this.#shownCounts.get(name) ?? pageSize;
    const rows = nodes
      .slice(0, shown)
      .map((sessionNode): TreeNode => ({ kind: 'session', node: sessionNode, parent: node }));
    if (nodes.length > shown) rows.push({ kind: 'more', name, count: nodes.length - shown });
    if (folded.length > 0) rows.push({ kind: 'programmatic', name, nodes: folded });
    return rows;
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return node.kind === 'session' ? node.parent : undefined;
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    switch (node.kind) {
      case 'group':
        return groupItem(node.group);
      case 'session':
        return sessionItem(node.node, this.#now(), {
          family: this.#families(node.node.row),
          daysToDeletion: this.#list.daysToDeletion(node.node.row),
        });
      case 'programmatic':
        return programmaticItem(node.name, node.nodes);
      case 'more':
        return actionItem(t('{0} more…', node.count), 'ellipsis', 'vitrine.showMoreSessions', [node.name]);
      case 'hidden':
        return actionItem(hiddenText(node.count), 'eye-closed', 'vitrine.showHiddenSessions');
      case 'unreadable':
        return actionItem(unreadableText(node.count), 'warning', 'vitrine.sessionLost');
      case 'filtered':
        return actionItem(t('Some sessions are filtered out'), 'filter-filled', 'vitrine.filterSessions');
    }
  }

  dispose(): void {
    clearInterval(this.#clock);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #createRoots(): TreeNode[] {
    this.#families = createFamilyFinder(this.#list.all());
    const groups = groupSessions(this.#list.visible(), this.#now());
    const hidden = this.#list.hidden();
    const rows = groups.map((group): TreeNode => ({ kind: 'group', group }));
    if (isFiltering(this.#list.filter)) rows.push({ kind: 'filtered' });
    // Without rows, the welcome view is shown, which also mentions hidden sessions.
    if (rows.length === 0) return rows;
    const { unreadable } = hidden;
    if (!this.#list.showHidden && hiddenTotal(hidden) > unreadable) rows.push({ kind: 'hidden', count: hidden });
    if (unreadable > 0) rows.push({ kind: 'unreadable', count: unreadable });
    return rows;
  }

  /** Refreshes for changes outside the list. */
  redraw(): void {
    this.#refresh();
  }

  #refresh(): void {
    this.#changed.fire();
    this.#view.badge = badge(this.#list, this.#unseenCount);
    const isEmpty = this.#list.isComplete && this.#list.visible().length === 0;
    // A message would replace the welcome view.
    this.#view.description = isEmpty ? this.#emptyText() : '';
    this.#updateTimer();
  }

  /** The timer runs only while a running session is visible. */
  #updateTimer(): void {
    const shouldTick = this.#view.visible && this.#list.running().length > 0;
    if (shouldTick) this.#clock ??= setInterval(() => this.#changed.fire(), tick);
    else {
      clearInterval(this.#clock);
      this.#clock = undefined;
    }
  }

  #find(nodes: readonly TreeNode[], id: string): TreeNode | undefined {
    for (const node of nodes) {
      if (node.kind === 'session' && node.node.row.session_id === id) return node;
      const found = this.#find(this.getChildren(node), id);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function groupTitle(name: GroupName): string {
  switch (name) {
    case 'needsYou':
      return t('Needs You');
    case 'running':
      return t('Running');
    case 'today':
      return t('Today');
    case 'yesterday':
      return t('Yesterday');
    case 'earlier':
      return t('Earlier');
  }
}

/** Pending requests take precedence over running sessions, and those over unseen changes. */
function badge(list: SessionList, unseenCount: number): vscode.ViewBadge | undefined {
  const waiting = list.waiting().length;
  if (waiting > 0) return { value: waiting, tooltip: waitingText(waiting) };
  const live = list.running().length;
  if (live > 0) return { value: live, tooltip: runningText(live) };
  return unseenCount === 0 ? undefined : { value: unseenCount, tooltip: unseenText(unseenCount) };
}

function waitingText(count: number): string {
  return count === 1 ? t('1 session needs you') : t('{0} sessions need you', count);
}

export function runningText(count: number): string {
  return count === 1 ? t('1 session running') : t('{0} sessions running', count);
}

function unreadableText(count: number): string {
  return count === 1 ? t('1 cannot be read: show why') : t('{0} cannot be read: show why', count);
}

function hiddenText({ hiddenByUser, inOtherFolders: others, inMissingFolders, noFolder }: HiddenCount): string {
  const parts = [
    ...(hiddenByUser > 0 ? [t('{0} by you', hiddenByUser)] : []),
    ...(others > 0 ? [others === 1 ? t('1 in another folder') : t('{0} in other folders', others)] : []),
    ...(inMissingFolders > 0
      ? [inMissingFolders === 1 ? t('1 in a missing folder') : t('{0} in missing folders', inMissingFolders)]
      : []),
    ...(noFolder > 0 ? [t('{0} without a folder', noFolder)] : []),
  ];
  return t('{0} hidden: {1}', hiddenByUser + others + inMissingFolders + noFolder, parts.join(', '));
}

function groupItem({ name, nodes }: SessionGroup): vscode.TreeItem {
  const item = new vscode.TreeItem(groupTitle(name), vscode.TreeItemCollapsibleState.Expanded);
  item.id = `group:${name}`;
  item.description = String(nodes.length);
  item.contextValue = 'group';
  return item;
}

function isAnyLive({ row, children }: SessionNode): boolean {
  return isSessionLive(row.status) || children.some(isAnyLive);
}

/** A fork is a conversation of the user's own: it stays visible, unlike ended sessions that the agent started. */
function startsExpanded(node: SessionNode): boolean {
  return isAnyLive(node) || node.children.some(({ row }) => row.forked_from !== undefined);
}

interface ItemFacts {
  readonly family: Family | undefined;
  readonly daysToDeletion: number | undefined;
}

function sessionItem(node: SessionNode, now: number, { family, daysToDeletion }: ItemFacts): vscode.TreeItem {
  const { row, children } = node;
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  const live = isSessionLive(row.status);
  const waits = needsYou(row) !== undefined;
  const item = new vscode.TreeItem(
    titleOf(row),
    children.length === 0 ? None : startsExpanded(node) ? Expanded : Collapsed,
  );
  // With a new id, VS Code expands a row that gets its first child.
  item.id = children.length === 0 ? row.session_id : `${row.session_id} +`;
  item.description = rowDescription(row, now, family);
  item.iconPath = stateIcon(stateOf(row));
  item.tooltip = rowTooltip(row, now, family, daysToDeletion);
  item.contextValue =
    row.shared !== undefined
      ? 'shared'
      : row.observed !== undefined
        ? observedContext(row, row.observed)
        : [
            'session',
            live ? 'live' : 'ended',
            ...(waits ? ['waiting'] : []),
            ...(isForkable(row) ? ['forkable'] : []),
            ...(row.budget?.near !== undefined || row.budget?.reached !== undefined ? ['budget'] : []),
          ].join(' ');
  item.accessibilityInformation = { label: rowLabel(row, now, family) };
  item.command = {
    command: waits ? 'vitrine.reviewRequest' : 'vitrine.openSession',
    title: waits ? t('Review Request') : t('Open Session'),
    arguments: [row.session_id],
  };
  return item;
}

function actionItem(label: string, icon: string, command: string, args: unknown[] = []): vscode.TreeItem {
  const item = new vscode.TreeItem('', vscode.TreeItemCollapsibleState.None);
  item.id = `${command}:${args.join()}`;
  item.label = '';
  item.description = label;
  item.iconPath = new vscode.ThemeIcon(icon);
  item.tooltip = label;
  item.command = { command, title: label, arguments: args };
  item.accessibilityInformation = { label };
  return item;
}
