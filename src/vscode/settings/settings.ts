import * as vscode from 'vscode';
import type {
  FolderBudgets,
  AcpHttpProfile,
  AcpProfile,
  AgentSettings,
  EngineSettings,
  ResumeFrom,
} from '../../engine/api.ts';
import { parseBudgets, stricterBudgets } from '../../insight/budgets/limits.ts';
import path from 'node:path';
import type { AgentOptions } from '../../agents/adapter.ts';
import { agentChoices, isBypass } from '../../agents/choices.ts';
import type { OtlpSettings } from '../../engine/telemetry/otlpSettings.ts';
import { isObject } from '../../model/text/json.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import type { Share } from '../../model/session/share.ts';

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
const between = (found: unknown, least: number, most: number, otherwise: number): number =>
  typeof found === 'number' && found >= least && found <= most ? found : otherwise;

function strings(found: unknown): readonly string[] | undefined {
  if (!Array.isArray(found) || found.length === 0) return undefined;
  return found.filter((each): each is string => typeof each === 'string');
}

function variables(found: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(found)) return undefined;
  const pairs = Object.entries(found).filter((each): each is [string, string] => typeof each[1] === 'string');
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/** Without the names that have no value. */
function known<T extends object>(found: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  const pairs: [string, unknown][] = Object.entries(found);
  const result: Partial<T> = {};
  return Object.assign(result, Object.fromEntries(pairs.filter(([, each]) => each !== undefined)));
}

/** A mode that lets everything happen is the user's to choose; a repository that asks for it is not heard. */
function permissionMode(agent: ExecutorType, name: string, scope?: vscode.Uri): string | undefined {
  const key = `${name}.permissionMode`;
  const wished = text(value(key, 'trusted', scope));
  const mode = isBypass(agent, wished) ? text(value(key, 'user', scope)) : wished;
  return mode === 'default' ? undefined : mode;
}

/** A field of a setting that is an object. A name with a dot, as earlier versions had it, says the same to VS Code. */
function field(key: string, name: string, scope?: vscode.Uri): unknown {
  const found = value(key, 'user', scope);
  return isObject(found) ? found[name] : undefined;
}

/** Of one agent; earlier versions had a setting for each. */
function ofAgent(key: 'extraArgs' | 'environment', name: string, scope?: vscode.Uri): unknown {
  return field(key, name, scope) ?? value(`${name}.${key}`, 'user', scope);
}

/** Which of a session's conversations of Claude Code continues in a folder. */
export function resumeFrom(scope?: vscode.Uri): ResumeFrom {
  return value('claude.resumeFrom', 'trusted', scope) === 'original' ? 'original' : 'newest';
}

function agentSettings(name: string): AgentSettings {
  return known<AgentSettings>({
    program: text(value(`${name}.path`, 'user'))?.trim(),
    environment: variables(ofAgent('environment', name)),
    resumeFrom: name === 'claude' ? resumeFrom() : undefined,
  });
}

/** The entries of a list in the settings that have an id of their own and a label; others cannot be told apart. */
function profiles<T>(key: string, read: (found: Record<string, unknown>) => T | undefined) {
  const found = value(key, 'user');
  const entries = Array.isArray(found) ? found.filter(isObject) : [];
  const ids = new Set<string>();
  return entries.flatMap((entry): (T & { readonly id: string; readonly label: string })[] => {
    const { id, label } = entry;
    const name = text(label)?.trim();
    if (typeof id !== 'string' || !/^[A-Za-z0-9][\w.-]{0,63}$/.test(id) || name === undefined || ids.has(id)) return [];
    const rest = read(entry);
    if (rest === undefined) return [];
    ids.add(id);
    return [{ id, label: name, ...rest }];
  });
}

function acpProfiles(): readonly AcpProfile[] {
  return profiles('acp.agents', ({ command, args, env }): Omit<AcpProfile, 'id' | 'label'> | undefined => {
    const program = text(command)?.trim();
    if (program === undefined) return undefined;
    const where = path.isAbsolute(program) ? { program } : { programs: [program] };
    return { ...where, ...known<Partial<AcpProfile>>({ args: strings(args), environment: variables(env) }) };
  });
}

export function acpHttpProfiles(): readonly AcpHttpProfile[] {
  return profiles(
    'acpHttp.servers',
    ({ baseUrl, agent, headers }): Omit<AcpHttpProfile, 'id' | 'label'> | undefined => {
      const address = text(baseUrl)?.trim();
      if (address === undefined || !URL.canParse(address) || !/^https?:/i.test(address)) return undefined;
      return {
        baseUrl: address,
        ...known<Partial<AcpHttpProfile>>({ agent: text(agent), headers: variables(headers) }),
      };
    },
  );
}

/** Under which the secret storage keeps the token of a server. */
export const tokenKey = (server: string): string => `acpHttp.token.${server}`;

export function engineSettings(secrets: vscode.SecretStorage): EngineSettings {
  const speed = value('demo.speed', 'trusted');
  const agents = [...agentChoices].map(([type, { settings }]) => [type, agentSettings(settings)] as const);
  return {
    budgets: folderBudgets,
    agents: Object.fromEntries(agents),
    acp: acpProfiles(),
    acpHttp: acpHttpProfiles(),
    acpHttpToken: async (server) => secrets.get(tokenKey(server)),
    unreportedChanges: value('unreportedChanges', 'user') !== false,
    replaySpeed: typeof speed === 'number' && speed >= 0 ? speed : 1,
    ...known<EngineSettings>({
      signingKey: text(value('audit.signingKey', 'user'))?.trim(),
      otlp: otlpSettings(),
      prices: ownPrices(),
    }),
  };
}

/** As the user wrote them; `undefined` for none. */
export function ownPrices(): unknown {
  const found = value('prices', 'user');
  return isObject(found) && Object.keys(found).length > 0 ? found : undefined;
}

/** Where runs are reported to is the user's alone, and nothing where that is not set. */
function otlpSettings(): OtlpSettings | undefined {
  const endpoint = text(field('otlp', 'endpoint'))?.trim();
  if (endpoint === undefined) return undefined;
  const headers = variables(field('otlp', 'headers'));
  return { endpoint, content: field('otlp', 'content') === true, ...(headers !== undefined && { headers }) };
}

/** Seconds between the polite signal and the next step of the stop ladder. */
export function stopGraceSeconds(): number {
  return between(value('stopGraceSeconds', 'trusted'), 0, 60, 5);
}

/** Whether usage, daily budgets and today's cost include sessions of other programs. */
export function countsObserved(): boolean {
  return value('usage.observedSessions', 'user') !== false;
}

/** Which sessions of other programs are copied into records: none, those that are opened, or all that have ended. */
export function keepsObserved(): 'never' | 'opened' | 'all' {
  const found = value('sources.keep', 'user');
  return found === 'never' || found === 'all' ? found : 'opened';
}

/** Whether editors mark the lines that recorded sessions wrote and read. */
export function marksLines(): boolean {
  return value('lineHistory.enabled', 'trusted') === true;
}

/** What the team sees of sessions in the folder. A folder's own setting counts once it is trusted. */
export function teamShare(folder: vscode.Uri): Share {
  const found = value('team.share', 'trusted', folder);
  return found === 'metadata' || found === 'records' ? found : 'nothing';
}

/** After how many days what agents printed is packed, and deleting is offered; 0: never. */
export function retentionDays(): { readonly pack: number; readonly remove: number } {
  const days = (key: string): number => between(field('retention', key), 0, 36_500, 0);
  return { pack: days('compressAfterDays'), remove: days('deleteAfterDays') };
}

export interface RunnerSettings {
  readonly enabled: boolean;
  /** Runs of one executor at a time. */
  readonly concurrency: number;
  readonly tags: readonly string[];
}

/** What this window takes from the queue. The user's alone: no folder decides that it executes what others queue. */
export function runnerSettings(): RunnerSettings {
  return {
    enabled: field('runner', 'enabled') !== false,
    concurrency: Math.floor(between(field('runner', 'concurrency'), 1, 64, 2)),
    tags: strings(field('runner', 'tags')) ?? [],
  };
}

/** How long a request waits for an answer; `undefined`: until someone answers. */
export function requestMinutes(): number | undefined {
  const minutes = between(value('approvals.timeoutMinutes', 'trusted'), 0, 1440, 0);
  return minutes === 0 ? undefined : minutes;
}

/** What happens to running agents when the last window has closed. */
export function whenWindowsClose(): 'finishRuns' | 'stopRuns' {
  return value('daemon.whenWindowsClose', 'user') === 'stopRuns' ? 'stopRuns' : 'finishRuns';
}

/** What the user set for runs of `agent` in the folder `scope`. */
export function agentOptions(agent: ExecutorType, scope?: vscode.Uri): AgentOptions {
  const choices = agentChoices.get(agent);
  if (choices === undefined) return {};
  const name = choices.settings;
  const limit = (key: 'maxTurns' | 'maxBudgetUsd' | 'maxAiCredits') =>
    choices.limits.some((each) => each.name === key) ? positive(value(`${name}.${key}`, 'trusted', scope)) : undefined;
  return known<AgentOptions>({
    model: text(value(`${name}.model`, 'trusted', scope))?.trim(),
    permissionMode: permissionMode(agent, name, scope),
    maxTurns: limit('maxTurns'),
    maxBudgetUsd: limit('maxBudgetUsd'),
    maxAiCredits: limit('maxAiCredits'),
    appendSystemPrompt: text(value(`${name}.appendSystemPrompt`, 'trusted', scope)),
    extraArgs: strings(ofAgent('extraArgs', name, scope)),
  });
}

/**
 * What limits agents in a folder: the user's limits, and the lower ones that the workspace and the folder set. These can
 * only tighten, so they count in Restricted Mode too.
 */
export function folderBudgets(cwd: string): FolderBudgets {
  const uri = vscode.Uri.file(cwd);
  const found = vscode.workspace.getConfiguration('vitrine', uri).inspect<unknown>('budgets');
  const levels = [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue];
  const limits = levels.map((level) => parseBudgets(level).value).reduce(stricterBudgets, {});
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath;
  return { limits, observed: countsObserved(), ...(folder !== undefined && { folder }) };
}
