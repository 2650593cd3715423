import type * as vscode from 'vscode';
import type { AgentCatalogue } from '../agents/agentCatalogue.ts';
import type { AgentInputs } from '../agents/agentInputs.ts';
import type { WhileAway } from '../away/whileAway.ts';
import type { MachineRuns } from '../daemon/machineRuns.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { Failures } from '../failures/failures.ts';
import type { FollowUpWatch } from '../followUps/followUpWatch.ts';
import type { LineHistory } from '../lines/lineHistory.ts';
import type { MaskedPages } from '../documents/maskedPages.ts';
import type { ObservedLoader } from '../observed/observedLoader.ts';
import type { ReportName } from '../pages/reportKinds.ts';
import type { ReportPages } from '../pages/reportPages.ts';
import type { EditRequestsHost } from '../requests/editRequestsHost.ts';
import type { Reviews } from '../review/reviews.ts';
import type { SessionPanels } from '../panel/sessionPanels.ts';
import type { Retention } from '../sessions/retention.ts';
import type { QueueHost } from '../queue/queueHost.ts';
import type { PromptDrafts } from '../run/promptDrafts.ts';
import type { RunMemory } from '../run/runMemory.ts';
import type { WindowRunners } from '../runner/windowRunners.ts';
import type { RunControl } from '../run/runControl.ts';
import type { SearchView } from '../search/searchView.ts';
import type { SessionList } from '../sessions/sessionList.ts';
import type { SessionLoader } from '../sessions/sessionLoader.ts';
import type { SessionTree } from '../sessions/sessionTree.ts';

/** Dependencies of the commands. */
export interface CommandContext {
  /** The extension's folder, and its folder for sessions. */
  readonly extension: vscode.Uri;
  readonly store: vscode.Uri;
  /** Version of Vitrine. */
  readonly version: string;
  readonly machine: MachineRuns;
  readonly away: WhileAway;
  readonly engines: EngineHost;
  readonly list: SessionList;
  readonly loader: SessionLoader;
  readonly observed: ObservedLoader;
  readonly panels: SessionPanels;
  readonly tree: SessionTree;
  readonly runs: RunControl;
  readonly queue: WindowRunners;
  readonly queueHost: QueueHost;
  readonly reports: ReportPages<ReportName>;
  readonly masked: MaskedPages;
  readonly secrets: vscode.SecretStorage;
  readonly failures: Failures;
  readonly followUps: FollowUpWatch;
  readonly memory: RunMemory;
  readonly drafts: PromptDrafts;
  readonly agents: AgentCatalogue;
  readonly inputs: AgentInputs;
  readonly lines: LineHistory;
  readonly search: SearchView;
  readonly reviews: Reviews;
  readonly edits: EditRequestsHost;
  readonly retention: Retention;
}

/** Commands by id, without the prefix `vitrine.`. */
export type Commands = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
