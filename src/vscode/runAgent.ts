import * as vscode from 'vscode';
import type { AgentReport } from '../engine/api.ts';
import { isObject } from '../model/json.ts';
import type { ExecutorType } from '../model/session.ts';
import type { EngineHost } from './engineHost.ts';
import { ask, type Answer } from './quickInput.ts';
import type { RunRequest } from './runControl.ts';

const { t } = vscode.l10n;
const lastAgentKey = 'lastAgent';

interface AgentItem extends vscode.QuickPickItem {
  /** What is chosen; an item without one runs its command instead. */
  readonly agent?: AgentReport;
  readonly command?: readonly [id: string, ...args: string[]];
}

/** Asks for agent, folder (where there are several) and prompt, with a way back; `undefined` where the person gave up. */
export async function askForRun(engines: EngineHost, memory: vscode.Memento): Promise<RunRequest | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const steps = folders.length > 1 ? 3 : 2;
  let agent: AgentReport | undefined;
  let cwd = folders[0]?.uri.fsPath;
  for (let step = 1; ;) {
    if (step === 1) {
      const answer = await askForAgent(engines, memory, steps);
      if (answer.kind !== 'value') return undefined;
      agent = answer.value;
      if (agent.recording) return { agent: agent.type, prompt: '' };
      await memory.update(lastAgentKey, agent.type);
      step += 1;
    } else if (step < steps) {
      const answer = await askForFolder(folders, step, steps);
      if (answer.kind === 'none') return undefined;
      if (answer.kind === 'value') cwd = answer.value;
      step += answer.kind === 'value' ? 1 : -1;
    } else {
      const answer = await askForPrompt(agent, step, steps);
      if (answer.kind === 'none' || agent === undefined) return undefined;
      if (answer.kind === 'value') {
        return { agent: agent.type, prompt: answer.value, ...(cwd === undefined ? {} : { cwd }) };
      }
      step -= 1;
    }
  }
}

async function askForAgent(engines: EngineHost, memory: vscode.Memento, steps: number): Promise<Answer<AgentReport>> {
  const picked = await ask<AgentItem>({
    title: t('Run Agent'),
    step: 1,
    steps,
    placeholder: t('Choose an agent'),
    back: false,
    items: async () => agentItems(await (await engines.get()).agents(), memory.get<unknown>(lastAgentKey)),
  });
  if (picked.kind !== 'value') return picked;
  const { agent, command } = picked.value;
  if (command !== undefined) await vscode.commands.executeCommand(...command);
  return agent === undefined ? { kind: 'none' } : { kind: 'value', value: agent };
}

/** Agents that can run, the last one used first; then recordings; then what is missing, and what helps with that. */
function agentItems(agents: readonly AgentReport[], last: unknown): AgentItem[] {
  const found = agents.flatMap((agent) => foundItem(agent) ?? []);
  found.sort((a, b) => Number(b.agent.type === last) - Number(a.agent.type === last));
  const recorded = agents.filter(({ recording }) => recording).map(recordedItem);
  const missing = agents.filter((agent) => !agent.recording && foundItem(agent) === undefined).map(missingItem);
  if (missing.length === 0) return [...found, ...recorded];
  return [
    ...found,
    ...recorded,
    { label: t('Not found on this machine'), kind: vscode.QuickPickItemKind.Separator },
    ...missing,
    { label: `$(pulse) ${t('Show what was tried…')}`, description: t('Doctor'), command: ['vitrine.doctor'] },
    {
      label: `$(gear) ${t('Say where a program is…')}`,
      description: t('Settings'),
      command: ['workbench.action.openSettings', '@ext:vitrine.vitrine path'],
    },
  ];
}

function foundItem(agent: AgentReport): (AgentItem & { readonly agent: AgentReport }) | undefined {
  const { label, program } = agent;
  if (program === null || !('path' in program)) return undefined;
  const detail = vscode.workspace.isTrusted ? program.path : t('Not in Restricted Mode: trust this workspace first.');
  return { label: `$(terminal) ${label}`, description: program.version ?? t('version unknown'), detail, agent };
}

function recordedItem(agent: AgentReport): AgentItem {
  const detail = t('Plays a recorded session of a real agent. Starts no program and needs no account.');
  return { label: `$(play-circle) ${agent.label}`, description: agent.recorded?.title ?? '', detail, agent };
}

function missingItem({ label, program }: AgentReport): AgentItem {
  // The separator says already that it was not found; anything else is worth a word.
  const failed = program !== null && 'message' in program && program.code !== 'program_missing';
  const reason = failed ? program.message : '';
  return { label: `$(circle-slash) ${label}`, description: reason, command: ['vitrine.doctor'] };
}

async function askForFolder(
  folders: readonly vscode.WorkspaceFolder[],
  step: number,
  steps: number,
): Promise<Answer<string>> {
  const picked = await ask<vscode.QuickPickItem & { readonly folder: string }>({
    title: t('Run Agent'),
    step,
    steps,
    placeholder: t('Choose the folder it works in'),
    back: true,
    items: () =>
      Promise.resolve(
        folders.map(({ name, uri }) => ({ label: `$(folder) ${name}`, description: uri.fsPath, folder: uri.fsPath })),
      ),
  });
  return picked.kind === 'value' ? { kind: 'value', value: picked.value.folder } : picked;
}

function askForPrompt(agent: AgentReport | undefined, step: number, steps: number): Promise<Answer<string>> {
  return ask({
    title: t('Run {0}', agent?.label ?? ''),
    step,
    steps,
    placeholder: t('What should it do?'),
    prompt: t('Enter starts the agent. More can be said in the session, over several lines.'),
    back: true,
  });
}

const agentTypes: readonly ExecutorType[] = [
  'claude-code',
  'cursor',
  'copilot',
  'codex',
  'gemini',
  'acp',
  'acp-http',
  'replay',
];

/** What a keybinding or another extension gave the command; `undefined` for anything that is not a whole request. */
export function runRequestOf(argument: unknown): RunRequest | undefined {
  if (!isObject(argument)) return undefined;
  const { prompt, cwd } = argument;
  const agent = agentTypes.find((type) => type === argument['agent']);
  if (agent === undefined || typeof prompt !== 'string') return undefined;
  if (cwd !== undefined && typeof cwd !== 'string') return undefined;
  return { agent, prompt, ...(cwd === undefined ? {} : { cwd }) };
}
