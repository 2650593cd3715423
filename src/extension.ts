import * as vscode from 'vscode';
import { CapabilityPages } from './vscode/capabilityPages.ts';
import { registerChangeDocuments } from './vscode/changeDocuments.ts';
import { registerCommands } from './vscode/commands/register.ts';
import { ContextKeys } from './vscode/contextKeys.ts';
import { Doctor } from './vscode/doctor.ts';
import { EngineHost } from './vscode/engineHost.ts';
import { Failures } from './vscode/failures.ts';
import { createLog, logLine } from './vscode/log.ts';
import { PageActions } from './vscode/pageActions.ts';
import { SessionPanels } from './vscode/panels.ts';
import { PromptDrafts } from './vscode/run/drafts.ts';
import { RunMemory } from './vscode/run/memory.ts';
import { AgentFixes } from './vscode/run/problems.ts';
import { RequestNotices } from './vscode/requestNotices.ts';
import { RunControl } from './vscode/runControl.ts';
import { SessionList } from './vscode/sessionList.ts';
import { SessionLoader } from './vscode/sessionLoader.ts';
import { SessionTree } from './vscode/sessionTree.ts';
import { StatusBar } from './vscode/statusBar.ts';
import { WorkspaceIndex } from './vscode/workspaceIndex.ts';

/** What other extensions get. */
export interface VitrineApi {
  readonly version: 1;
}

let engines: EngineHost | undefined;

/** Builds the object graph and registers it; what it returns is the public API. */
export function activate(context: vscode.ExtensionContext): VitrineApi {
  const started = performance.now();
  const { extensionUri: extension, globalStorageUri, workspaceState } = context;
  const now = (): number => Date.now();
  const log = createLog();
  const list = new SessionList(new WorkspaceIndex(workspaceState), now);
  const version = manifestVersion(context.extension.packageJSON);
  const demo = vscode.Uri.joinPath(extension, 'media', 'demo').fsPath;
  const paths = { store: globalStorageUri.fsPath, demo, version };
  const host = new EngineHost(paths, context.secrets, log, (summary) => list.update(summary));
  engines = host;
  const failures = new Failures(log);
  const memory = new RunMemory(workspaceState);
  const drafts = new PromptDrafts();
  const runs = new RunControl(host, memory, failures, log);
  const loader = new SessionLoader(host, list, log);
  const tree = new SessionTree(list, now, () => void loader.load());
  const panels = new SessionPanels({ extension, engines: host, list, actions: new PageActions(runs), failures, log });
  const doctor = new Doctor(host, list, paths, version);
  const capabilities = new CapabilityPages(host);
  const { secrets } = context;
  const shell = {
    engines: host,
    list,
    loader,
    panels,
    tree,
    runs,
    doctor,
    capabilities,
    secrets,
    failures,
    memory,
    drafts,
  };
  context.subscriptions.push(
    log,
    list,
    loader,
    tree,
    panels,
    doctor,
    capabilities,
    drafts,
    AgentFixes.register(),
    new StatusBar(list),
    new RequestNotices(list, panels),
    new ContextKeys(list, host),
    registerChangeDocuments(host),
    registerCommands(shell),
  );
  void loader.loadIfNeeded(vscode.Uri.joinPath(globalStorageUri, 'leases'));
  log.debug(logLine('activated', { ms: Math.round(performance.now() - started) }));
  return { version: 1 };
}

/** Within the five seconds VS Code gives: ends what was started here. */
export async function deactivate(): Promise<void> {
  await engines?.dispose();
}

function manifestVersion(manifest: unknown): string {
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return known ? String(manifest.version) : '';
}
