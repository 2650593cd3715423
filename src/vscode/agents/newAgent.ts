import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { agentChoices } from '../../agents/choices.ts';
import type { AgentReport } from '../../engine/api.ts';
import type { Blueprint } from '../../engine/blueprints/load.ts';
import { inertText } from '../text/inertText.ts';
import { ask, askForText, type Answer, type Step } from '../window/quickInput.ts';
import { nameProblem, type NewAgent } from './agentFiles.ts';

const { t } = vscode.l10n;

interface AgentWizardOptions {
  readonly all: readonly Blueprint[];
  readonly reports: () => Promise<readonly AgentReport[]>;
}

type Fields = { readonly [K in keyof NewAgent]: string };
type Question = (step: Step, before: Fields) => Promise<Answer<Fields>>;

/** Wizard for a new agent; `undefined` if the user cancelled. */
export async function askForAgent(wizardOptions: AgentWizardOptions): Promise<NewAgent | undefined> {
  const questions = [nameStep(wizardOptions), executorStep(wizardOptions), modelStep, promptStep, placeStep];
  let fields: Fields = { name: '', executor_type: 'claude-code', model: '', system_prompt: '', folder: homedir() };
  for (let at = 0; at < questions.length;) {
    const question = questions[at];
    if (question === undefined) break;
    const step = { title: t('New Agent'), step: at + 1, steps: questions.length, placeholder: '', canGoBack: at > 0 };
    const answer = await question(step, fields);
    if (answer.kind === 'none') return undefined;
    if (answer.kind === 'value') fields = answer.value;
    at += answer.kind === 'value' ? 1 : -1;
  }
  return fields;
}

function nameStep({ all }: AgentWizardOptions): Question {
  return async (step, before) => {
    const placeholder = t('Agent name, also used as the file name');
    const validate = (name: string): string | undefined => nameProblem(name, all);
    return fillField(await askForText({ ...step, placeholder, value: before.name, validate }), before, 'name');
  };
}

function executorStep({ reports }: AgentWizardOptions): Question {
  return async (step, before) => {
    const items = async () =>
      (await reports())
        .filter(({ recording, profile }) => !recording && profile === undefined)
        .map(({ label, type, program }) => {
          const isInstalled = program !== null && 'path' in program;
          return {
            label: inertText(label),
            description: isInstalled ? type : `${type} · ${t('not found')}`,
            value: type,
          };
        });
    const isActive = ({ value }: { readonly value: string }): boolean => value === before.executor_type;
    const chosen = await ask({ ...step, placeholder: t('Select the program'), items, isActive });
    return fillField(valueOf(chosen), before, 'executor_type');
  };
}

const modelStep: Question = async (step, before) => {
  const known = [...agentChoices].find(([type]) => type === before.executor_type)?.[1].models ?? [];
  const names = known.join(', ');
  const placeholder =
    names === ''
      ? t('Model. Leave empty to use the agent’s default.')
      : t('Model, such as {0}. Leave empty to use the agent’s default.', names);
  return fillField(await askForText({ ...step, placeholder, value: before.model }), before, 'model');
};

const promptStep: Question = async (step, before) => {
  const placeholder = t('Instructions for the agent. You can add more in the file');
  return fillField(await askForText({ ...step, placeholder, value: before.system_prompt }), before, 'system_prompt');
};

const placeStep: Question = async (step, before) => {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const items = [
    ...folders.map(({ name, uri }) => ({
      label: `$(root-folder) ${t('In this workspace')}`,
      description: folders.length > 1 ? inertText(name) : t('for everyone in this workspace'),
      value: uri.fsPath,
    })),
    { label: `$(home) ${t('In your home folder')}`, description: t('for you, in every workspace'), value: homedir() },
  ];
  const placeholder = t('Where to save it');
  return fillField(valueOf(await ask({ ...step, placeholder, items: () => Promise.resolve(items) })), before, 'folder');
};

function valueOf(answer: Answer<{ readonly value: string }>): Answer<string> {
  return answer.kind === 'value' ? { kind: 'value', value: answer.value.value } : answer;
}

function fillField(answer: Answer<string>, before: Fields, field: keyof Fields): Answer<Fields> {
  return answer.kind === 'value' ? { kind: 'value', value: { ...before, [field]: answer.value } } : answer;
}
