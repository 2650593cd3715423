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
 * Allowed sources of a setting. `user`: never from a workspace, because these settings decide which program runs.
 * `trusted`: also from a trusted workspace.
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
const parsePositive = (found: unknown): number | undefined =>
  typeof found === 'number' && Number.isFinite(found) && found > 0 ? found : undefined;
const between = (found: unknown, least: number, most: number, otherwise: number): number =>
  typeof found === 'number' && found >= least && found <= most ? found : otherwise;

function parseStrings(found: unknown): readonly string[] | undefined {
  if (!Array.isArray(found) || found.length === 0) return undefined;
  return found.filter((element): element is string => typeof element === 'string');
}

function variables(found: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(found)) return undefined;
  const pairs = Object.entries(found).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/** Removes undefined values. */
function omitUndefined<T extends object>(found: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  const pairs: [string, unknown][] = Object.entries(found);
  const result: Partial<T> = {};
  return Object.assign(result, Object.fromEntries(pairs.filter(([, member]) => member !== undefined)));
}

/** Only user settings may select a mode that bypasses permissions. */
function permissionMode(agent: ExecutorType, name: string, scope?: vscode.Uri): string | undefined {
  const key = `${name}.permissionMode`;
  const trustSetting = text(value(key, 'trusted', scope));
  const mode = isBypass(agent, trustSetting) ? text(value(key, 'user', scope)) : trustSetting;
  return mode === 'default' ? undefined : mode;
}

/** A field of an object setting. Earlier versions used dotted names, which VS Code reads the same way. */
function field(key: string, name: string, scope?: vscode.Uri): unknown {
  const found = value(key, 'user', scope);
  return isObject(found) ? found[name] : undefined;
}

/** Value for one agent; earlier versions had a setting per agent. */
function agentSetting(key: 'extraArgs' | 'environment', name: string, scope?: vscode.Uri): unknown {
  return field(key, name, scope) ?? value(`${name}.${key}`, 'user', scope);
}

/** Which conversation of Claude Code to resume in a folder. */
export function resumeFrom(scope?: vscode.Uri): ResumeFrom {
  return value('claude.resumeFrom', 'trusted', scope) === 'original' ? 'original' : 'newest';
}

function agentSettings(name: string): AgentSettings {
  return omitUndefined<AgentSettings>({
    program: text(value(`${name}.path`, 'user'))?.trim(),
    environment: variables(agentSetting('environment', name)),
    resumeFrom: name === 'claude' ? resumeFrom() : undefined,
  });
}

/** List entries with a unique id and a label; others are dropped. */
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
    return {
      ...where,
      ...omitUndefined<Partial<AcpProfile>>({ args: parseStrings(args), environment: variables(env) }),
    };
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
        ...omitUndefined<Partial<AcpHttpProfile>>({ agent: text(agent), headers: variables(headers) }),
      };
    },
  );
}

/** Key of a server's token in the secret storage. */
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
    ...omitUndefined<EngineSettings>({
      signingKey: text(value('audit.signingKey', 'user'))?.trim(),
      otlp: otlpSettings(),
      prices: ownPrices(),
    }),
  };
}

/** Raw value from the user settings; `undefined` if unset. */
export function ownPrices(): unknown {
  const found = value('prices', 'user');
  return isObject(found) && Object.keys(found).length > 0 ? found : undefined;
}

/** User settings only; disabled by default. */
function otlpSettings(): OtlpSettings | undefined {
  const endpoint = text(field('otlp', 'endpoint'))?.trim();
  if (endpoint === undefined) return undefined;
  const headers = variables(field('otlp', 'headers'));
  return { endpoint, content: field('otlp', 'content') === true, ...(headers !== undefined && { headers }) };
}

/** Seconds between the polite signal and the next step. */
export function stopGraceSeconds(): number {
  return between(value('stopGraceSeconds', 'trusted'), 0, 60, 5);
}

/** Whether usage, daily budgets and today's cost include sessions from other programs. */
export function countsObserved(): boolean {
  return value('usage.observedSessions', 'user') !== false;
}

/** Which sessions from other programs are copied into records: none, opened ones, or all ended ones. */
export function observedToKeep(): 'never' | 'opened' | 'all' {
  const found = value('sources.keep', 'user');
  return found === 'never' || found === 'all' ? found : 'opened';
}

/** Whether editors mark lines that recorded sessions wrote and read. */
export function marksLines(): boolean {
  return value('lineHistory.enabled', 'trusted') === true;
}

/** What the team sees of sessions in the folder. A folder's own setting counts once it is trusted. */
export function teamShare(folder: vscode.Uri): Share {
  const found = value('team.share', 'trusted', folder);
  return found === 'metadata' || found === 'records' ? found : 'nothing';
}

/** Days after which agents' output is compressed, and after which Vitrine offers to delete a session; 0: never. */
export function retentionDays(): { readonly pack: number; readonly remove: number } {
  const days = (key: string): number => between(field('retention', key), 0, 36_500, 0);
  return { pack: days('compressAfterDays'), remove: days('deleteAfterDays') };
}

export interface RunnerSettings {
  readonly enabled: boolean;
  /** Maximum number of concurrent runs per executor. */
  readonly concurrency: number;
  readonly tags: readonly string[];
}

/** This window's runner. User settings only: a folder must not decide to execute queued work. */
export function runnerSettings(): RunnerSettings {
  return {
    enabled: field('runner', 'enabled') !== false,
    concurrency: Math.floor(between(field('runner', 'concurrency'), 1, 64, 2)),
    tags: parseStrings(field('runner', 'tags')) ?? [],
  };
}

/** Time limit for requests; `undefined`: none. */
export function requestMinutes(): number | undefined {
  const minutes = between(value('approvals.timeoutMinutes', 'trusted'), 0, 1440, 0);
  return minutes === 0 ? undefined : minutes;
}

/** What happens to runs when the last window closes. */
export function whenWindowsClose(): 'finishRuns' | 'stopRuns' {
  return value('daemon.whenWindowsClose', 'user') === 'stopRuns' ? 'stopRuns' : 'finishRuns';
}

/** The user's options for `agent` in the folder `scope`. */
export function agentOptions(agent: ExecutorType, scope?: vscode.Uri): AgentOptions {
  const choices = agentChoices.get(agent);
  if (choices === undefined) return {};
  const name = choices.settings;
  const limit = (key: 'maxTurns' | 'maxBudgetUsd' | 'maxAiCredits') =>
    choices.limits.some((choice) => choice.name === key)
      ? parsePositive(value(`${name}.${key}`, 'trusted', scope))
      : undefined;
  return omitUndefined<AgentOptions>({
    model: text(value(`${name}.model`, 'trusted', scope))?.trim(),
    permissionMode: permissionMode(agent, name, scope),
    maxTurns: limit('maxTurns'),
    maxBudgetUsd: limit('maxBudgetUsd'),
    maxAiCredits: limit('maxAiCredits'),
    appendSystemPrompt: text(value(`${name}.appendSystemPrompt`, 'trusted', scope)),
    extraArgs: parseStrings(agentSetting('extraArgs', name, scope)),
  });
}

/**
 * Budgets of a folder: the user's limits, and lower ones from workspace and folder. These can only tighten, so they
 * also apply in Restricted Mode.
 */
export function folderBudgets(cwd: string): FolderBudgets {
  const uri = vscode.Uri.file(cwd);
  const found = vscode.workspace.getConfiguration('vitrine', uri).inspect<unknown>('budgets');
  const levels = [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue];
  const limits = levels.map((level) => parseBudgets(level).value).reduce(stricterBudgets, {});
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath;
  return { limits, observed: countsObserved(), ...(folder !== undefined && { folder }) };
}
