import * as vscode from 'vscode';
import type { AgentReport } from '../../engine/api.ts';
import type { RecallResult } from '../../engine/recall/types.ts';
import { inertText } from '../text/inertText.ts';
import { ask, askForMany, type Answer } from '../window/quickInput.ts';
import { agentOptions } from '../settings/settings.ts';
import { canStartAgents } from '../settings/trust.ts';
import { agentItems, canRun, raceItems, nameOf, type AgentItem, type AgentRow } from './steps/agentItems.ts';
import { installAddress, placeSetting } from './steps/agentPlaces.ts';
import { withChoice, type RunChoice } from '../../agents/withChoice.ts';
import { withExcerpts, type Excerpt } from './steps/excerpt.ts';
import type { RunMemory } from './runMemory.ts';
import { optionLine } from './steps/optionLine.ts';
import { askForOptions } from './steps/optionSteps.ts';
import { askForPrompt, type PromptResult } from './steps/promptStep.ts';
import { askForRecall, passagesText, type RecallDeps } from './steps/recallStep.ts';
import { maxAgents, type RunRequest } from './runRequest.ts';

const { t } = vscode.l10n;

interface Deps extends RecallDeps {
  readonly memory: RunMemory;
}

/** Known values, which are not asked for. */
export interface RunDefaults {
  readonly isSeveral?: boolean;
  /** Shows context from earlier sessions before the run. */
  readonly showsRecall?: boolean;
  readonly folder?: vscode.Uri;
  readonly prompt?: string;
  readonly excerpts?: readonly Excerpt[];
}

/** The user's decision: one request per agent, to run now or to edit in an editor first. */
export interface RunDecision {
  readonly requests: readonly RunRequest[];
  /** Agents and options in one line. */
  readonly line: string;
  readonly opensInEditor: boolean;
}

type StepName = 'agent' | 'several' | 'folder' | 'prompt';

/** Asks for agent, folder (if there are several), prompt and, on demand, options; `undefined` if the user cancelled. */
export async function askForRun(deps: Deps, defaults: RunDefaults = {}): Promise<RunDecision | undefined> {
  return new Questions(deps, defaults).ask();
}

class Questions {
  readonly #deps: Deps;
  readonly #defaults: RunDefaults;
  readonly #asksForFolder: boolean;
  readonly #choices = new Map<AgentReport, RunChoice>();
  #agents: readonly AgentReport[] = [];
  #folder: vscode.Uri | undefined;
  #prompt: string;
  #recallResult: RecallResult | undefined;
  /** The user saw the context from earlier sessions. */
  #hasShownRecall = false;

  constructor(deps: Deps, defaults: RunDefaults) {
    this.#deps = deps;
    this.#defaults = defaults;
    const folders = vscode.workspace.workspaceFolders ?? [];
    this.#asksForFolder = defaults.folder === undefined && folders.length > 1;
    this.#folder = defaults.folder ?? folders[0]?.uri;
    this.#prompt = defaults.prompt ?? '';
  }

  async ask(): Promise<RunDecision | undefined> {
    const first: StepName = this.#defaults.isSeveral === true ? 'several' : 'agent';
    const path: StepName[] = [first];
    for (;;) {
      const step = path.at(-1);
      if (step === undefined) return undefined;
      const answer = await this.#step(step, path.length);
      if (answer.kind === 'none') return undefined;
      if (answer.kind === 'back') path.pop();
      else if (typeof answer.value === 'string') path.push(answer.value);
      else return answer.value;
    }
  }

  #step(step: StepName, at: number): Promise<Answer<StepName | RunDecision>> {
    switch (step) {
      case 'agent':
        return this.#askForAgent(at);
      case 'several':
        return this.#askForSeveral(at);
      case 'folder':
        return this.#askForFolder(at);
      case 'prompt':
        return this.#askForPrompt(at);
    }
  }

  #stepFrame(step: number, later: number, title: string) {
    return { title, step, steps: step + later, canGoBack: step > 1 };
  }

  /** Number of steps after the choice of agents. */
  get #remainingStepCount(): number {
    return this.#asksForFolder ? 2 : 1;
  }

  #nextStep(): StepName {
    return this.#asksForFolder ? 'folder' : 'prompt';
  }

  async #loadReports(): Promise<readonly AgentReport[]> {
    const engine = await this.#deps.engines.get();
    return engine.agents({ login: vscode.workspace.isTrusted });
  }

  async #askForAgent(at: number): Promise<Answer<StepName | RunDecision>> {
    const picked = await ask<AgentItem>({
      ...this.#stepFrame(at, this.#remainingStepCount, t('Run Agent')),
      placeholder: t('Select an agent'),
      items: async () => agentItems(await this.#loadReports(), this.#deps.memory),
      swap: ({ other }) => other?.(),
    });
    if (picked.kind !== 'value') return picked;
    const { row } = picked.value;
    return row === undefined ? { kind: 'none' } : this.#askAfterAgent(row, at);
  }

  async #askAfterAgent(row: AgentRow, at: number): Promise<Answer<StepName | RunDecision>> {
    switch (row.kind) {
      case 'doctor':
        await vscode.commands.executeCommand('vitrine.doctor');
        return { kind: 'none' };
      case 'missing':
        return showInstallHelp(row.agent, this.#stepFrame(at + 1, 0, t('{0} Was Not Found', row.agent.label)));
      case 'several':
        return canStartAgents() ? { kind: 'value', value: 'several' } : { kind: 'none' };
      case 'agent':
        if (row.agent.recording) {
          const requests = [{ agent: row.agent.type, prompt: '' }];
          return { kind: 'value', value: { requests, line: inertText(row.agent.label), opensInEditor: false } };
        }
        if (!canStartAgents()) return { kind: 'none' };
        this.#agents = [row.agent];
        return { kind: 'value', value: this.#nextStep() };
    }
  }

  async #askForSeveral(at: number): Promise<Answer<StepName | RunDecision>> {
    const picked = await askForMany<AgentItem>({
      ...this.#stepFrame(at, this.#remainingStepCount, t('Run on Several Agents')),
      placeholder: t(
        'Select up to {0} agents. In a git repository, each gets its own worktree; otherwise, they share the folder.',
        maxAgents,
      ),
      most: maxAgents,
      tooManyText: t('At most {0}', maxAgents),
      items: async () => raceItems(await this.#loadReports(), this.#deps.memory),
    });
    if (picked.kind !== 'value') return picked;
    this.#agents = picked.value.flatMap(({ row }) => (row?.kind === 'agent' && canRun(row.agent) ? [row.agent] : []));
    return { kind: 'value', value: this.#nextStep() };
  }

  async #askForFolder(at: number): Promise<Answer<StepName | RunDecision>> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const picked = await ask({
      ...this.#stepFrame(at, 1, t('Run Agent')),
      placeholder: t('Select the working folder'),
      items: () =>
        Promise.resolve(
          folders.map(({ name, uri }) => ({
            label: `$(folder) ${inertText(name)}`,
            description: inertText(uri.fsPath),
            folder: uri,
          })),
        ),
      isActive: ({ folder }) => folder.toString() === this.#folder?.toString(),
    });
    if (picked.kind !== 'value') return picked;
    this.#folder = picked.value.folder;
    return { kind: 'value', value: 'prompt' };
  }

  async #askForPrompt(at: number): Promise<Answer<StepName | RunDecision>> {
    const [only] = this.#agents.length === 1 ? this.#agents : [];
    const title = t('Run {0}', this.#agents.map(({ label }) => label).join(', '));
    const frame = this.#stepFrame(at, 0, title);
    for (;;) {
      const answer: Answer<PromptResult> = await askForPrompt(frame, {
        prompt: this.#prompt,
        line: this.#optionsLine(this.#agents.length > 1),
        options: only !== undefined,
        excerpts: this.#defaults.excerpts ?? [],
        recallSummary: this.#recallResult && passagesText(this.#recallResult),
      });
      if (answer.kind !== 'value') return answer;
      this.#prompt = answer.value.prompt;
      const { next } = answer.value;
      const first = next === 'run' && this.#defaults.showsRecall === true && !this.#hasShownRecall;
      if (next === 'recall' || first) {
        const step = { ...frame, title: t('Context from Earlier Sessions'), canGoBack: true };
        const recalled = await askForRecall(this.#deps, { step, message: { text: this.#prompt } });
        if (recalled.kind === 'none') return recalled;
        if (recalled.kind === 'value') [this.#recallResult, this.#hasShownRecall] = [recalled.value, true];
        if (recalled.kind === 'back' || !first) continue;
      }
      if (next !== 'options' || only === undefined) {
        const opensInEditor = next === 'edit';
        return {
          kind: 'value',
          value: { requests: this.#createRequests(), line: this.#optionsLine(true), opensInEditor },
        };
      }
      const settings = agentOptions(only.type, this.#folder);
      const subject = { agent: only, settings, memory: this.#deps.memory, step: { ...frame, canGoBack: true } };
      const choice = await askForOptions(subject, this.#choiceOf(only));
      if (choice === undefined) return { kind: 'none' };
      this.#choices.set(only, choice);
    }
  }

  #choiceOf(agent: AgentReport): RunChoice {
    return this.#choices.get(agent) ?? this.#deps.memory.choice(nameOf(agent));
  }

  /** Options of each agent. */
  #optionsLine(named: boolean): string {
    const lines = this.#agents.map((agent) => {
      const line = optionLine(agent.type, withChoice(agentOptions(agent.type, this.#folder), this.#choiceOf(agent)));
      return named ? `${inertText(agent.label)}: ${line}` : line;
    });
    return lines.join('; ');
  }

  #createRequests(): readonly RunRequest[] {
    const { excerpts = [] } = this.#defaults;
    const prompt = withExcerpts(this.#prompt, excerpts);
    const [subject = ''] = this.#prompt.trim().split('\n');
    return this.#agents.map((agent) => ({
      ...nameOf(agent),
      prompt,
      choice: this.#choiceOf(agent),
      ...(this.#folder === undefined ? {} : { cwd: this.#folder.fsPath }),
      ...(this.#recallResult === undefined ? {} : { recall: this.#recallResult }),
      ...(this.#agents.length === 1 ? {} : { title: `${subject.slice(0, 80)} · ${agent.label}` }),
    }));
  }
}

/** Help for an agent that is not installed. */
async function showInstallHelp(
  agent: AgentReport,
  frame: { readonly title: string; readonly step: number; readonly steps: number; readonly canGoBack: boolean },
): Promise<Answer<never>> {
  const { program } = agent;
  const address = installAddress(nameOf(agent));
  const items = [
    ...(address === undefined
      ? []
      : [{ label: `$(link-external) ${t('How to Install')}`, description: address, does: 'install' as const }]),
    { label: `$(gear) ${t('Set Path…')}`, description: placeSetting(nameOf(agent)), does: 'place' as const },
    { label: `$(pulse) ${t('Show Search Locations…')}`, description: t('Doctor'), does: 'doctor' as const },
  ];
  const reason = program !== null && 'message' in program ? program.message : '';
  const answer = await ask({ ...frame, placeholder: reason, items: () => Promise.resolve(items) });
  if (answer.kind !== 'value') return answer;
  switch (answer.value.does) {
    case 'install':
      await vscode.env.openExternal(vscode.Uri.parse(address ?? ''));
      break;
    case 'place':
      await vscode.commands.executeCommand('workbench.action.openSettings', placeSetting(nameOf(agent)));
      break;
    case 'doctor':
      await vscode.commands.executeCommand('vitrine.doctor');
  }
  return { kind: 'none' };
}
