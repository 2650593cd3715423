import * as vscode from 'vscode';
import type { AgentReport } from '../../../engine/api.ts';
import { inertText } from '../../text/inertText.ts';
import { agentOptions } from '../../settings/settings.ts';
import type { AgentName, RunMemory } from '../runMemory.ts';
import { transportsOf, type AgentTransports } from './transports.ts';

const { t } = vscode.l10n;

/** Meaning of a row in the list of agents. */
export type AgentRow =
  | { readonly kind: 'agent'; readonly agent: AgentReport }
  | { readonly kind: 'missing'; readonly agent: AgentReport }
  | { readonly kind: 'several' }
  | { readonly kind: 'doctor' };
/** `other`: the same agent by another transport. */
export type AgentItem = vscode.QuickPickItem & { readonly row?: AgentRow; readonly other?: () => AgentItem };

export function nameOf({ type, profile }: AgentReport): AgentName {
  return { agent: type, ...(profile === undefined ? {} : { profile }) };
}

/** An installed program, or a server. */
export function canRun({ recording, program }: AgentReport): boolean {
  return !recording && (program === null || 'path' in program);
}

/** One row per agent. */
function rowsOf(agents: readonly AgentReport[], memory: RunMemory): readonly AgentTransports[] {
  const isConfigured = (agent: AgentReport['type']) =>
    Object.keys({ ...agentOptions(agent), ...memory.choice({ agent }) }).length > 0;
  return transportsOf(agents, { canRun, isConfigured });
}

/** Available agents, last used first; then recordings; then missing agents with help. */
export function agentItems(reports: readonly AgentReport[], memory: RunMemory): AgentItem[] {
  const rows = rowsOf(reports, memory);
  const agents = rows.map(({ agent }) => agent);
  const lastUsedRank = ({ agent, other }: AgentTransports): number =>
    Number([agent, other].some((candidate) => candidate !== undefined && memory.isLast(nameOf(candidate))));
  const found = rows.filter(({ agent }) => canRun(agent)).sort((a, b) => lastUsedRank(b) - lastUsedRank(a));
  const recorded = agents.filter(({ recording }) => recording);
  const missing = agents.filter((agent) => !agent.recording && !canRun(agent));
  return [
    ...found.map(({ agent, other }) => foundItem(agent, other)),
    ...recorded.map(recordedItem),
    ...(found.length > 1 ? [severalItem()] : []),
    ...(missing.length > 0 ? [separator(t('Not found on this machine'))] : []),
    ...missing.map(missingItem),
    ...(missing.length > 0 ? [doctorItem()] : []),
  ];
}

/** Available agents, for multiple choice. */
export function raceItems(reports: readonly AgentReport[], memory: RunMemory): AgentItem[] {
  return rowsOf(reports, memory).flatMap(({ agent }) => (canRun(agent) ? [foundItem(agent)] : []));
}

const separator = (label: string): AgentItem => ({ label, kind: vscode.QuickPickItemKind.Separator });

/** The agent's protocol, if its name does not already distinguish it. */
export function protocolLabels({ type }: AgentReport): readonly string[] {
  if (type === 'acp') return ['ACP'];
  return type === 'acp-http' ? [t('server')] : [];
}

/** The transport, as a row names it. */
function transportText({ type, capabilities }: AgentReport): string {
  const name = type === 'acp' ? t('Agent Client Protocol') : t('native protocol');
  return capabilities.approvals.supported ? name : t('{0}, without approvals', name);
}

/** Item of an installed agent; `other` adds a button that switches to that transport. */
function foundItem(agent: AgentReport, other?: AgentReport): AgentItem {
  const item = plainItem(agent);
  if (other === undefined) return item;
  const button = {
    iconPath: new vscode.ThemeIcon('arrow-swap'),
    tooltip: t('Uses {0}. Select to use {1} instead.', transportText(agent), transportText(other)),
  };
  return { ...item, buttons: [button], other: () => foundItem(other, agent) };
}

function plainItem(agent: AgentReport): AgentItem {
  const { label, program } = agent;
  const found = program !== null && 'path' in program ? program : undefined;
  const facts = [
    ...(agent.sameAs === undefined ? protocolLabels(agent) : []),
    ...(found === undefined ? [] : [inertText(found.version ?? t('version unknown'))]),
    ...(agent.signedIn === undefined ? [] : [agent.signedIn ? t('signed in') : t('not signed in')]),
  ];
  return {
    label: inertText(label),
    iconPath: new vscode.ThemeIcon(agent.type === 'acp-http' ? 'cloud' : 'terminal'),
    description: facts.join(' · '),
    detail: vscode.workspace.isTrusted
      ? inertText([found?.path ?? '', ...(agent.type === 'acp-http' ? [] : [transportText(agent)])].join(' · '))
      : t('Not available in Restricted Mode. Trust this workspace first.'),
    row: { kind: 'agent', agent },
  };
}

function recordedItem(agent: AgentReport): AgentItem {
  return {
    label: inertText(agent.label),
    iconPath: new vscode.ThemeIcon('play-circle'),
    description: inertText(agent.recorded?.title ?? ''),
    detail: t('Replays a recorded session of a real agent. Starts no program and needs no account.'),
    row: { kind: 'agent', agent },
  };
}

function severalItem(): AgentItem {
  return {
    label: t('Run on Several Agents…'),
    iconPath: new vscode.ThemeIcon('split-horizontal'),
    detail: t('Runs one prompt on several agents, each in its own git worktree, and compares the results.'),
    row: { kind: 'several' },
  };
}

function missingItem(agent: AgentReport): AgentItem {
  const { label, program } = agent;
  // The separator already says that it was not found; other problems are shown.
  const failed = program !== null && 'message' in program && program.code !== 'program_missing';
  return {
    label: inertText(label),
    iconPath: new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground')),
    description: [
      ...protocolLabels(agent),
      failed ? inertText(program.message) : t('install it or set its path…'),
    ].join(' · '),
    row: { kind: 'missing', agent },
  };
}

function doctorItem(): AgentItem {
  return {
    label: t('Show Search Locations…'),
    iconPath: new vscode.ThemeIcon('pulse'),
    description: t('Doctor'),
    row: { kind: 'doctor' },
  };
}
