import type * as vscode from 'vscode';
import type { AgentCatalogue } from '../agents/catalogue.ts';
import type { AgentInputs } from '../agents/inputs.ts';
import type { WhileAway } from '../away/whileAway.ts';
import type { MachineRuns } from '../daemon/machineRuns.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { Failures } from '../failures.ts';
import type { FollowUpWatch } from '../followUps/followUpWatch.ts';
import type { LineHistory } from '../lines/lineHistory.ts';
import type { MaskedPages } from '../maskedPages.ts';
import type { ObservedLoader } from '../observed/observedLoader.ts';
import type { ReportName } from '../pages/reportKinds.ts';
import type { ReportPages } from '../pages/reportPages.ts';
import type { SessionPanels } from '../panels.ts';
import type { Retention } from '../retention.ts';
import type { PromptDrafts } from '../run/drafts.ts';
import type { RunMemory } from '../run/memory.ts';
import type { WindowRunners } from '../runner/windowRunners.ts';
import type { RunControl } from '../runControl.ts';
import type { SearchView } from '../search/searchView.ts';
import type { SessionList } from '../sessionList.ts';
import type { SessionLoader } from '../sessionLoader.ts';
import type { SessionTree } from '../sessionTree.ts';

/** What commands work with. */
export interface Shell {
  /** Where this extension lies, and where it keeps sessions. */
  readonly extension: vscode.Uri;
  readonly store: vscode.Uri;
  /** Of Vitrine. */
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
  readonly retention: Retention;
}

/** Commands by name, without the `vitrine.` in front. */
export type Commands = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
