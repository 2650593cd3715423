import * as vscode from 'vscode';
import type { Blueprint } from '../../engine/blueprints/load.ts';
import type { AgentCatalogue } from './agentCatalogue.ts';

const { t } = vscode.l10n;

/** Data of the Agents view: the catalogue's last result. Code for rows is loaded on demand. */
export class AgentTree implements vscode.TreeDataProvider<Blueprint>, vscode.Disposable {
  readonly #isTrusted: () => boolean;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  #blueprints: readonly Blueprint[] = [];
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(catalogue: Pick<AgentCatalogue, 'onDidChange'>, trusted = (): boolean => vscode.workspace.isTrusted) {
    this.#isTrusted = trusted;
    this.#subscription = catalogue.onDidChange((found) => {
      this.#blueprints = found;
      this.#changed.fire();
    });
  }

  getChildren(parent?: Blueprint): Blueprint[] {
    return parent === undefined ? [...this.#blueprints] : [];
  }

  async getTreeItem(blueprint: Blueprint): Promise<vscode.TreeItem> {
    const { agentItem } = await import('./agentItem.ts');
    return agentItem(blueprint, this.#isTrusted());
  }

  refresh(): void {
    this.#changed.fire();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}

/** The Agents view, visible if there are agent files. */
export function agentsView(catalogue: AgentCatalogue): vscode.Disposable {
  const tree = new AgentTree(catalogue);
  const view = vscode.window.createTreeView('vitrine.agents', { treeDataProvider: tree });
  const updateTrust = (): void => {
    const reason = t('Restricted Mode: agents are listed but cannot be started.');
    view.message = vscode.workspace.isTrusted ? '' : reason;
    tree.refresh();
  };
  updateTrust();
  return vscode.Disposable.from(
    tree,
    view,
    vscode.workspace.onDidGrantWorkspaceTrust(updateTrust),
    view.onDidChangeVisibility(({ visible }) => {
      if (visible) void catalogue.refresh();
    }),
    catalogue.onDidChange((found) => {
      void vscode.commands.executeCommand('setContext', 'vitrine.agentFiles', found.length > 0);
    }),
    vscode.window.registerFileDecorationProvider({
      provideFileDecoration: ({ scheme }) =>
        scheme === 'vitrine-agent'
          ? new vscode.FileDecoration(undefined, undefined, new vscode.ThemeColor('disabledForeground'))
          : undefined,
    }),
  );
}
