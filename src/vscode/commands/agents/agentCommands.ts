import path from 'node:path';
import * as vscode from 'vscode';
import type { Blueprint } from '../../../engine/blueprints/load.ts';
import { isObject } from '../../../model/text/json.ts';
import { inertText } from '../../text/inertText.ts';
import { canStartAgents } from '../../settings/trust.ts';
import type { Commands, CommandContext } from '../commandContext.ts';

const { t } = vscode.l10n;

/** Commands for agent files in `.vitrine/agents`. */
export function agentCommands(shell: CommandContext): Commands {
  return {
    /** Takes `{name, prompt?, cwd?}`, or `{file, prompt?}` from a row; asks for the rest. Returns the session id. */
    async runBlueprint(argument) {
      if (!canStartAgents()) return undefined;
      const resolved = await resolveAgent(shell, argument);
      if (resolved === undefined) return undefined;
      const folder = resolved.cwd ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
      const name = resolved.name ?? (await pickAgent(await shell.agents.load(folder)));
      if (name === undefined) return undefined;
      const prompt = resolved.prompt ?? (await askForPrompt(name));
      if (prompt === undefined || prompt.trim() === '') return undefined;
      const id = await shell.runs.startBlueprint(name, prompt, resolved.cwd);
      if (id === undefined) return undefined;
      await shell.panels.open(id);
      await shell.tree.reveal(id);
      return id;
    },

    /** Like `runBlueprint`, but on any runner that meets the agent's requirements. Returns the future session's id. */
    async queueBlueprint(argument) {
      if (!canStartAgents()) return undefined;
      const args = parseArguments(argument);
      const folder = args.cwd ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
      if (folder === undefined) return undefined;
      const all = await shell.agents.load(folder);
      const name = args.name ?? (await pickAgent(all));
      const prompt = name === undefined ? undefined : (args.prompt ?? (await askForPrompt(name)));
      if (name === undefined || prompt === undefined || prompt.trim() === '') return undefined;
      const { executorOf, findBlueprint } = await import('../../../engine/blueprints/request.ts');
      const agent = findBlueprint(all, name);
      const { demands } = agent;
      const run = await shell.queue.create(folder, {
        agent_name: name,
        prompt,
        executor_type: executorOf(agent),
        ...(demands !== undefined && { demands }),
      });
      void vscode.window.showInformationMessage(t('“{0}” is queued until a runner takes it.', inertText(name)));
      return run.session_id;
    },

    /** Deletes the saved MCP inputs of an agent, so that Vitrine asks for them again. */
    async forgetAgentInputs(argument) {
      const all = (await shell.agents.load()).filter(({ agent }) => agent !== null);
      const name = parseArguments(argument).name ?? (await pickAgent(all));
      const found = all.find((blueprint) => blueprint.name === name);
      if (found === undefined || found.agent === null) return;
      const { inputsOf } = await import('../../../formats/blueprint/placeholders.ts');
      await shell.inputs.forget(found.file, inputsOf(found.agent.mcp_servers));
    },
  };
}

interface AgentArguments {
  readonly name?: string;
  readonly prompt?: string;
  readonly cwd?: string;
}

function parseArguments(argument: unknown): AgentArguments {
  if (typeof argument === 'string') return { name: argument };
  if (!isObject(argument)) return {};
  const { name, prompt, cwd } = argument;
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof prompt === 'string' && { prompt }),
    ...(typeof cwd === 'string' && path.isAbsolute(cwd) && { cwd }),
  };
}

/** Resolves a row's file to the agent and its folder. `undefined` if there is no such file. */
async function resolveAgent({ agents }: CommandContext, argument: unknown): Promise<AgentArguments | undefined> {
  const file = isObject(argument) ? argument['file'] : undefined;
  if (typeof file !== 'string') return parseArguments(argument);
  const blueprint = (await agents.load()).find((candidate) => candidate.file === file);
  if (blueprint === undefined) return undefined;
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file))?.uri.fsPath;
  return { ...parseArguments(argument), name: blueprint.name, ...(folder !== undefined && { cwd: folder }) };
}

interface AgentPick extends vscode.QuickPickItem {
  readonly blueprint: Blueprint;
}

/** Agents that cannot be started are listed with the reason and open their file. */
async function pickAgent(blueprints: readonly Blueprint[]): Promise<string | undefined> {
  if (blueprints.length === 0) {
    void offerNewAgent();
    return undefined;
  }
  const items = blueprints.map((blueprint): AgentPick => ({ ...rowOf(blueprint), blueprint }));
  const options = { title: t('Run Agent from File'), matchOnDescription: true, matchOnDetail: true };
  const chosen = (await vscode.window.showQuickPick(items, options))?.blueprint;
  if (chosen === undefined) return undefined;
  if (chosen.agent?.status === 'active') return chosen.name;
  await vscode.window.showTextDocument(vscode.Uri.file(chosen.file));
  return undefined;
}

async function offerNewAgent(): Promise<void> {
  const create = t('New Agent…');
  const text = t('No agents yet. An agent is a file such as .vitrine/agents/reviewer.yaml.');
  if ((await vscode.window.showInformationMessage(text, create)) === create) {
    await vscode.commands.executeCommand('vitrine.newAgent');
  }
}

function rowOf({ name, agent, level, problems }: Blueprint): vscode.QuickPickItem {
  const place = level === 'user' ? t('home folder') : '';
  if (agent === null) {
    const [first] = problems;
    return { label: `$(warning) ${inertText(name)}`, description: place, detail: inertText(first?.message ?? '') };
  }
  const tags = inertText(agent.tags.map((tag) => `#${tag}`).join(' '));
  const inactive = agent.status === 'inactive' ? t('inactive') : '';
  const description = [inactive, tags, place].filter((text) => text !== '').join(' · ');
  const label = `$(${inactive === '' ? 'robot' : 'circle-slash'}) ${inertText(name)}`;
  return { label, description, detail: inertText(agent.description) };
}

function askForPrompt(name: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: t('Run {0}', inertText(name)),
    prompt: t('Prompt for the agent'),
    ignoreFocusOut: true,
  });
}
