import * as vscode from 'vscode';

const providerId = 'vitrine.sessions';

export interface McpServerDeps {
  readonly extension: vscode.Uri;
  readonly store: vscode.Uri;
  readonly version: string;
}

/**
 * Offers `vitrine mcp` to VS Code's own chat: earlier sessions, and agents to start. The chat asks its user before an agent
 * starts. Not in Restricted Mode, where no agent may start.
 */
export function registerMcpServer({ extension, store, version }: McpServerDeps): vscode.Disposable {
  // Some editors built on VS Code do not have it.
  if (!('registerMcpServerDefinitionProvider' in vscode.lm)) return new vscode.Disposable(() => undefined);
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> = {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: () => {
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      if (!vscode.workspace.isTrusted || folder?.uri.scheme !== 'file') return [];
      const program = vscode.Uri.joinPath(extension, 'dist', 'cli.js').fsPath;
      const server = new vscode.McpStdioServerDefinition(
        'Vitrine',
        process.execPath,
        [program, 'mcp', '--store', store.fsPath],
        { ELECTRON_RUN_AS_NODE: '1' },
        version,
      );
      server.cwd = folder.uri;
      return [server];
    },
  };
  return vscode.Disposable.from(
    changed,
    vscode.lm.registerMcpServerDefinitionProvider(providerId, provider),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
  );
}
