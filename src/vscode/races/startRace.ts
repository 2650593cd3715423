import * as vscode from 'vscode';
import { withChoice } from '../../agents/withChoice.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { ReportName } from '../pages/reportKinds.ts';
import type { ReportPages } from '../pages/reportPages.ts';
import type { RaceCommands, RunMemory } from '../run/runMemory.ts';
import type { RunRequest } from '../run/runRequest.ts';
import { agentOptions } from '../settings/settings.ts';
import { canStartAgents } from '../settings/trust.ts';
import { inertText } from '../text/inertText.ts';
import { askForRace } from './askForRace.ts';
import { isRepository } from './raceText.ts';

const { t } = vscode.l10n;

interface Deps {
  readonly engines: EngineHost;
  readonly memory: RunMemory;
  readonly reports: ReportPages<ReportName>;
}

/** `shared`: the agents are to run in the folder itself. `id` of the race; `undefined`: none was started. */
export type StartedRace = { readonly kind: 'shared' } | { readonly kind: 'race'; readonly id: string | undefined };

/**
 * Runs one prompt on several agents in worktrees of their own, after the user saw how, and opens the comparison.
 * Outside of a repository, says that they share the folder. @throws EngineFailure
 */
export async function startRace(
  { engines, memory, reports }: Deps,
  requests: readonly RunRequest[],
  commands: Partial<RaceCommands> = {},
): Promise<StartedRace> {
  const none = { kind: 'race', id: undefined } as const;
  if (!canStartAgents()) return none;
  const [first] = requests;
  const folder = first?.cwd ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const inside = folder === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder));
  // Without a folder of this workspace, starting the agents fails later and says why.
  if (first === undefined || folder === undefined || inside === undefined) return { kind: 'shared' };
  const why = await unavailableReason(requests, folder);
  if (why !== undefined) {
    void vscode.window.showInformationMessage(why);
    return { kind: 'shared' };
  }
  const engine = await engines.get();
  const labels = new Map(
    (await engine.agents()).map(({ type, profile, label }) => [`${type} ${profile ?? ''}`, label]),
  );
  const names = requests.map(({ agent, profile }) => inertText(labels.get(`${agent} ${profile ?? ''}`) ?? agent));
  const choice = await askForRace(names, { ...memory.raceCommands(), ...commands, usd: undefined, withChanges: false });
  if (choice === undefined) return none;
  if (choice === 'shared') return { kind: 'shared' };
  const { check, setup, usd, withChanges } = choice;
  await memory.rememberRace({ check, setup });
  const { race_id: id } = await engine.races.start({
    prompt: first.prompt,
    cwd: folder,
    agents: requests.map(({ agent, profile, choice: chosen = {} }) => ({
      agent,
      ...(profile !== undefined && { profile }),
      options: withChoice(agentOptions(agent, inside.uri), chosen),
    })),
    interactive: true,
    withChanges,
    ...(usd !== undefined && { limits: { usd } }),
    ...(setup !== '' && { setup }),
    ...(check !== '' && { check }),
    ...(first.recall !== undefined && { recall: first.recall }),
  });
  await reports.show('race', id);
  return { kind: 'race', id };
}

/** Why the agents cannot have worktrees. */
async function unavailableReason(requests: readonly RunRequest[], folder: string): Promise<string | undefined> {
  if (requests.some(({ agent }) => agent === 'acp-http'))
    return t(
      'Agents from an agent server cannot use worktrees, so all agents share this folder and may change the same files.',
    );
  if (await isRepository(folder)) return undefined;
  return t('This folder is not in a git repository with a commit. The agents share it and may change the same files.');
}
