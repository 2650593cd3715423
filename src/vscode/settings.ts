import * as vscode from 'vscode';
import type { AgentOptions } from '../agents/adapter.ts';
import type { AgentSettings, EngineSettings } from '../engine/api.ts';
import { isObject } from '../model/json.ts';
import type { ExecutorType } from '../model/session.ts';

/**
 * From where a setting may come. `user` never from a workspace, whatever VS Code lets through: these decide which
 * program runs and with what. `trusted` from a workspace too, once it is trusted.
 */
type Source = 'user' | 'trusted';

function value(key: string, source: Source, scope?: vscode.Uri): unknown {
  const found = vscode.workspace.getConfiguration('vitrine', scope).inspect<unknown>(key);
  const fromUser = found?.globalValue ?? found?.defaultValue;
  if (source === 'user' || !vscode.workspace.isTrusted) return fromUser;
  return found?.workspaceFolderValue ?? found?.workspaceValue ?? fromUser;
}

const text = (found: unknown): string | undefined =>
  typeof found === 'string' && found.trim() !== '' ? found : undefined;
const positive = (found: unknown): number | undefined =>
  typeof found === 'number' && Number.isFinite(found) && found > 0 ? found : undefined;

function strings(found: unknown): readonly string[] | undefined {
  if (!Array.isArray(found) || found.length === 0) return undefined;
  return found.filter((each): each is string => typeof each === 'string');
}

function variables(found: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(found)) return undefined;
  const pairs = Object.entries(found).filter((each): each is [string, string] => typeof each[1] === 'string');
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/** `bypassPermissions` is the user's to choose; a repository that asks for it is not heard. */
function permissionMode(scope?: vscode.Uri): string | undefined {
  const wished = text(value('claude.permissionMode', 'trusted', scope));
  const mode = wished === 'bypassPermissions' ? text(value('claude.permissionMode', 'user', scope)) : wished;
  return mode === 'default' ? undefined : mode;
}

function claude(): AgentSettings {
  const program = text(value('claude.path', 'user'))?.trim();
  const environment = variables(value('claude.environment', 'user'));
  return {
    resumeFrom: value('claude.resumeFrom', 'trusted') === 'original' ? 'original' : 'newest',
    ...(program === undefined ? {} : { program }),
    ...(environment === undefined ? {} : { environment }),
  };
}

export function engineSettings(): EngineSettings {
  const speed = value('demo.speed', 'trusted');
  return { agents: { 'claude-code': claude() }, replaySpeed: typeof speed === 'number' && speed >= 0 ? speed : 1 };
}

/** Seconds between the polite signal and the next step of the stop ladder. */
export function stopGraceSeconds(): number {
  const found = value('stopGraceSeconds', 'trusted');
  return typeof found === 'number' && found >= 0 && found <= 60 ? found : 5;
}

/** What the user set for runs of `agent` in the folder `scope`. */
export function agentOptions(agent: ExecutorType, scope?: vscode.Uri): AgentOptions {
  if (agent !== 'claude-code') return {};
  const options = {
    model: text(value('claude.model', 'trusted', scope)),
    permissionMode: permissionMode(scope),
    maxTurns: positive(value('claude.maxTurns', 'trusted', scope)),
    maxBudgetUsd: positive(value('claude.maxBudgetUsd', 'trusted', scope)),
    appendSystemPrompt: text(value('claude.appendSystemPrompt', 'trusted', scope)),
    extraArgs: strings(value('claude.extraArgs', 'user', scope)),
  };
  return Object.fromEntries(Object.entries(options).filter((each) => each[1] !== undefined));
}
