import * as vscode from 'vscode';
import { BudgetNotices } from './vscode/budgets/budgetNotices.ts';
import { BlueprintRuns } from './vscode/agents/blueprintRuns.ts';
import { agentsView } from './vscode/agents/agentTree.ts';
import { AgentCatalogue } from './vscode/agents/agentCatalogue.ts';
import { agentDiagnostics } from './vscode/agents/diagnostics.ts';
import { AgentInputs } from './vscode/agents/agentInputs.ts';
import { showCallbackFailure } from './vscode/agents/callbackNotice.ts';
import { PublicApi } from './vscode/api/createApi.ts';
import type { VitrineApi } from './vscode/api/types/vitrine.d.ts';
import { WhileAway } from './vscode/away/whileAway.ts';
import { registerChangeDocuments } from './vscode/documents/changeDocuments.ts';
import { registerRaceDocuments } from './vscode/races/raceDocuments.ts';
import { registerRestoreDocuments } from './vscode/restore/restoreDocuments.ts';
import { registerCommands } from './vscode/commands/register.ts';
import { ContextKeys } from './vscode/settings/contextKeys.ts';
import { MachineRuns } from './vscode/daemon/machineRuns.ts';
import { EngineHost } from './vscode/engine/engineHost.ts';
import { Failures } from './vscode/failures/failures.ts';
import { FollowUpItem } from './vscode/followUps/followUpItem.ts';
import { FollowUpWatch } from './vscode/followUps/followUpWatch.ts';
import { LineHistory } from './vscode/lines/lineHistory.ts';
import { registerSessionLinks } from './vscode/sessions/sessionLinkHandler.ts';
import { createLog } from './vscode/window/log.ts';
import { logLine } from './engine/log/logLine.ts';
import { MaskedPages } from './vscode/documents/maskedPages.ts';
import { registerMcpServer } from './vscode/mcp/mcpServer.ts';
import { MovedFolders } from './vscode/sessions/movedFolders.ts';
import { emptyText } from './vscode/observed/emptyText.ts';
import { ObservedLoader } from './vscode/observed/observedLoader.ts';
import { PageActions } from './vscode/panel/pageActions.ts';
import { PageMemory } from './vscode/panel/pageMemory.ts';
import { reportKinds } from './vscode/pages/reportKinds.ts';
import { ReportPages } from './vscode/pages/reportPages.ts';
import { SessionPanels } from './vscode/panel/sessionPanels.ts';
import { QueueHost } from './vscode/queue/queueHost.ts';
import { PromptDrafts } from './vscode/run/promptDrafts.ts';
import { WindowRunners } from './vscode/runner/windowRunners.ts';
import { RunMemory } from './vscode/run/runMemory.ts';
import { AgentFixes } from './vscode/run/problemPrompt.ts';
import { EditRequestsHost } from './vscode/requests/editRequestsHost.ts';
import { ApprovalNotices } from './vscode/requests/approvalNotices.ts';
import { Reviews } from './vscode/review/reviews.ts';
import { RunControl } from './vscode/run/runControl.ts';
import { SearchView } from './vscode/search/searchView.ts';
import { isHere, SessionList } from './vscode/sessions/sessionList.ts';
import { SessionLoader } from './vscode/sessions/sessionLoader.ts';
import { SessionTree } from './vscode/sessions/sessionTree.ts';
import { Retention } from './vscode/sessions/retention.ts';
import { StatusBar } from './vscode/window/statusBar.ts';
import { UsageView } from './vscode/usage/usageView.ts';
import { windowId } from './vscode/window/windowId.ts';
import { WorkspaceIndex } from './vscode/window/workspaceIndex.ts';

let engines: EngineHost | undefined;
let runners: WindowRunners | undefined;

/** Creates and registers all components. The result is the public API. */
export function activate(context: vscode.ExtensionContext): VitrineApi {
  const started = performance.now();
  const { extensionUri: extension, globalState, globalStorageUri, workspaceState } = context;
  const now = (): number => Date.now();
  const log = createLog();
  const list = new SessionList(new WorkspaceIndex(workspaceState), now);
  const version = manifestVersion(context.extension.packageJSON);
  const demo = vscode.Uri.joinPath(extension, 'media', 'demo').fsPath;
  const paths = { extension: extension.fsPath, store: globalStorageUri.fsPath, demo, version };
  const agents = new AgentCatalogue(log);
  const inputs = new AgentInputs(context.secrets);
  const memory = new RunMemory(workspaceState, () => engines?.announce());
  const blueprints = new BlueprintRuns(agents, inputs);
  const id = windowId(workspaceState);
  const host = new EngineHost({
    windowId: id,
    paths,
    secrets: context.secrets,
    memory,
    blueprints: blueprints.access,
    input: (name, agent) => inputs.value(agent, name),
    onSummary: (summary) => list.update(summary),
    onRemoved: (id) => list.remove(id),
    onSharesChanged: (shares) => list.updateShares(shares),
    onUndelivered: (id, failure) => {
      const row = list.get(id);
      if (row !== undefined && isHere(row)) void showCallbackFailure(row, failure);
    },
    log,
  });
  engines = host;
  const failures = new Failures(log);
  const drafts = new PromptDrafts();
  const api = new PublicApi({ engines: host, memory, blueprints });
  const loader = new SessionLoader(host, list, log);
  const store = globalStorageUri;
  const machine = new MachineRuns({ store: paths.store, version, list, log });
  const queue = new WindowRunners({ store, version, engines: host, agents, log });
  runners = queue;
  const runs = new RunControl({ engines: host, memory, blueprints, queue, failures, log });
  const followUps = new FollowUpWatch({ engines: host, agents, state: workspaceState, log });
  const observed = new ObservedLoader({ engines: host, list, state: workspaceState, log });
  const look = (): void => {
    void loader.load();
    void observed.load();
  };
  const tree = new SessionTree(list, now, look, () => emptyText(observed));
  const away = new WhileAway({
    state: workspaceState,
    list,
    load: look,
    now,
    onUnseenChange: (count) => tree.showUnseenCount(count),
  });
  const edits = new EditRequestsHost(host);
  const panels = new SessionPanels({
    extension,
    engines: host,
    list,
    actions: new PageActions(runs, followUps, edits.get, new PageMemory(globalState), id),
    failures,
    log,
  });
  const kinds = reportKinds({ engines: host, list, away, paths, version, log });
  const reports = new ReportPages({ extension, kinds, failures, log });
  const masked = new MaskedPages();
  const lines = new LineHistory({ engines: host, list, loader, log });
  const reviews = new Reviews({ engines: host, state: globalState });
  const search = new SearchView(host, list, loader, now);
  const retention = new Retention({ engines: host, list, loader, panels, log, now });
  const { secrets } = context;
  const queueHost = new QueueHost({ store, engines: host, secrets, log });
  const shell = {
    extension,
    store,
    version,
    machine,
    away,
    engines: host,
    list,
    loader,
    observed,
    panels,
    tree,
    runs,
    queue,
    queueHost,
    reports,
    masked,
    secrets,
    failures,
    followUps,
    memory,
    drafts,
    agents,
    inputs,
    lines,
    search,
    reviews,
    edits,
    retention,
  };
  context.subscriptions.push(
    log,
    list,
    loader,
    observed,
    observed.onDidChange(() => tree.redraw()),
    tree,
    panels,
    edits,
    reports,
    masked,
    new UsageView({ extension, engines: host, list, now, log }),
    drafts,
    lines,
    search,
    reviews,
    registerSessionLinks({ engines: host, panels, failures }),
    agents,
    agentDiagnostics(agents),
    agentsView(agents),
    AgentFixes.register(),
    queueHost,
    machine,
    away,
    new StatusBar(list, machine),
    retention,
    new MovedFolders({ engines: host, list, loader, state: workspaceState, log }),
    followUps,
    new FollowUpItem(followUps, now),
    new BudgetNotices(list, now()),
    api,
    new ApprovalNotices(list, panels),
    new ContextKeys(list, host, log),
    registerChangeDocuments(host),
    registerRaceDocuments(host),
    registerRestoreDocuments(host),
    registerMcpServer({ extension, store, version }),
    registerCommands(shell),
  );
  // The activation, for which other extensions and the user may wait, needs none of this.
  setImmediate(() => {
    machine.watch();
    void loader.loadIfNeeded(globalStorageUri);
    void observed.loadIfNeeded();
  });
  log.debug(logLine('activated', { ms: Math.round(performance.now() - started) }));
  return api.exports();
}

/** Disconnects from the daemon, which continues to run agents. */
export function deactivate(): void {
  runners?.dispose();
  engines?.dispose();
}

function manifestVersion(manifest: unknown): string {
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return known ? String(manifest.version) : '';
}
