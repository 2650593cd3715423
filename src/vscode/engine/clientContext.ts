import * as vscode from 'vscode';
import { agentChoices } from '../../agents/choices.ts';
import type { AgentOptions } from '../../agents/adapter.ts';
import { executorTypeSchema, type ExecutorType } from '../../model/session/session.ts';
import type { ClientContext } from '../../protocol/daemon/context.ts';
import { readRawFollowUps } from '../followUps/followUpSettings.ts';
import {
  folderBudgets,
  agentOptions,
  engineSettings,
  requestMinutes,
  runnerSettings,
  stopGraceSeconds,
  teamShare,
  tokenKey,
} from '../settings/settings.ts';
import type { RunMemory } from '../run/runMemory.ts';

/** What only this window knows about a folder. Contains secrets. */
export async function clientContext(
  folder: string,
  secrets: vscode.SecretStorage,
  memory: RunMemory,
): Promise<ClientContext> {
  const uri = vscode.Uri.file(folder);
  const trusted = vscode.workspace.isTrusted && vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  const {
    agents,
    acp = [],
    acpHttp = [],
    unreportedChanges,
    replaySpeed,
    signingKey,
    otlp,
    prices,
  } = engineSettings(secrets);
  const minutes = requestMinutes();
  const environment = Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const options = executorTypeSchema.options
    .filter((type) => agentChoices.has(type))
    .map((type): [ExecutorType, AgentOptions] => [type, agentOptions(type, uri)]);
  return {
    folder,
    trusted,
    workspaceAgents: trusted,
    environment: Object.fromEntries(environment),
    settings: {
      ...(agents !== undefined && { agents }),
      acp,
      acpHttp,
      acpHttpTokens: await tokens(acpHttp, secrets),
      prices,
      budgets: folderBudgets(folder),
      followUps: readRawFollowUps(),
      share: teamShare(uri),
      ...(unreportedChanges !== undefined && { unreportedChanges }),
      ...(replaySpeed !== undefined && { replaySpeed }),
      ...(signingKey !== undefined && { signingKey }),
      ...(otlp !== undefined && { otlp }),
    },
    timing: {
      politeGrace: stopGraceSeconds() * 1000,
      ...(minutes !== undefined && { request: minutes * 60_000 }),
    },
    options: Object.fromEntries(options),
    choices: memory.choicesBySession(),
    tags: runnerSettings().tags,
  };
}

async function tokens(
  servers: readonly { readonly id: string }[],
  secrets: vscode.SecretStorage,
): Promise<Record<string, string>> {
  const found = await Promise.all(servers.map(async ({ id }) => [id, await secrets.get(tokenKey(id))] as const));
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
}
