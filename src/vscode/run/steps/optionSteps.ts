import * as vscode from 'vscode';
import type { AgentOptions } from '../../../agents/adapter.ts';
import { agentChoices, isBypass } from '../../../agents/choices.ts';
import type { Limit } from '../../../agents/shared/choices.ts';
import type { AgentReport } from '../../../engine/api.ts';
import { inertText } from '../../text/inertText.ts';
import { ask, askForWords, type Answer, type Step } from '../../window/quickInput.ts';
import { nameOf } from './agentItems.ts';
import { isAgentName } from '../runChoice.ts';
import { withChoice, type RunChoice } from '../../../agents/withChoice.ts';
import type { RunMemory } from '../runMemory.ts';
import { modeTexts } from './modeTexts.ts';
import { limitText, modeText, optionLine } from './optionLine.ts';

const { t } = vscode.l10n;

type Part = 'done' | 'model' | 'mode' | 'settings' | 'none' | Limit;
type PartItem = vscode.QuickPickItem & { readonly part: Part };

interface Subject {
  readonly agent: AgentReport;
  /** Settings of the folder. */
  readonly settings: AgentOptions;
  readonly memory: RunMemory;
  readonly step: Omit<Step, 'placeholder'>;
}

/** Asks for options one by one; `undefined` if the user cancelled. */
export async function askForOptions(subject: Subject, started: RunChoice): Promise<RunChoice | undefined> {
  let choice = started;
  let last: Part = 'done';
  for (;;) {
    const items = partItems(subject, choice);
    const answer = await ask<PartItem>({
      ...subject.step,
      title: t('How to Run {0}', subject.agent.label),
      placeholder: t('Select what to change'),
      items: () => Promise.resolve(items),
      isActive: ({ part }) => part === last || (typeof part === 'object' && part.name === nameOfPart(last)),
    });
    if (answer.kind === 'none') return undefined;
    const part = answer.kind === 'back' ? 'done' : answer.value.part;
    if (part === 'done') return choice;
    const changed = await changePart(subject, choice, part);
    if (changed.kind === 'none') return undefined;
    if (changed.kind === 'value') choice = changed.value;
    last = changed.kind === 'value' ? 'done' : part;
  }
}

const nameOfPart = (part: Part): string => (typeof part === 'object' ? part.name : part);

function partItems({ agent, settings }: Subject, choice: RunChoice): PartItem[] {
  const options = withChoice(settings, choice);
  const choices = agentChoices.get(agent.type);
  const icon = (name: string) => new vscode.ThemeIcon(name);
  const { modelChoice } = agent.capabilities;
  const none = (label: string, reason: string): PartItem => ({
    label,
    description: reason,
    iconPath: new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground')),
    part: 'none',
  });
  const limits = (choices?.limits ?? []).map((limit) => ({
    label: limitLabel(limit.name),
    description: limitText(limit.name, options[limit.name] ?? 0),
    iconPath: icon('dashboard'),
    part: limit,
  }));
  return [
    { label: t('Done'), description: optionLine(agent.type, options), iconPath: icon('check'), part: 'done' },
    modelChoice.supported
      ? {
          label: t('Model'),
          description: inertText(options.model ?? t('agent default')),
          iconPath: icon('symbol-misc'),
          part: 'model',
        }
      : none(t('Model'), modelChoice.reason ?? t('not supported by this agent')),
    choices === undefined && agent.type !== 'acp'
      ? none(t('Permission mode'), t('as configured in the agent'))
      : {
          label: t('Permission mode'),
          description: modeText(agent.type, options.permissionMode),
          iconPath: icon('shield'),
          part: 'mode',
        },
    ...(limits.length > 0 ? limits : [none(t('Limits'), t('this agent has no command-line limits'))]),
    ...(Object.keys(choice).length === 0
      ? []
      : [
          {
            label: t('Use Settings'),
            description: optionLine(agent.type, settings),
            iconPath: icon('discard'),
            part: 'settings' as const,
          },
        ]),
  ];
}

function limitLabel(name: Limit['name']): string {
  switch (name) {
    case 'maxTurns':
      return t('Maximum turns');
    case 'maxBudgetUsd':
      return t('Budget in US dollars');
    case 'maxAiCredits':
      return t('Budget in AI credits');
  }
}

async function changePart(subject: Subject, choice: RunChoice, part: Part): Promise<Answer<RunChoice>> {
  if (part === 'settings') return { kind: 'value', value: {} };
  if (part === 'model') {
    const model = await askForModel(subject);
    return model.kind === 'value' ? { kind: 'value', value: { ...choice, model: model.value } } : model;
  }
  if (part === 'mode') {
    const known = agentChoices.has(subject.agent.type);
    const mode = known ? await askForMode(subject, choice) : await askForNamedMode(subject);
    return mode.kind === 'value' ? { kind: 'value', value: { ...choice, permissionMode: mode.value } } : mode;
  }
  if (typeof part !== 'object') return { kind: 'back' };
  const limit = await askForLimit(subject, choice, part);
  return limit.kind === 'value' ? { kind: 'value', value: { ...choice, [part.name]: limit.value } } : limit;
}

async function askForModel({ agent, settings, memory, step }: Subject): Promise<Answer<string>> {
  const own = { label: t('Agent Default'), iconPath: new vscode.ThemeIcon('sparkle'), model: '' };
  const item = (model: string, description: string) => ({ label: inertText(model), description, model });
  const recent = memory.models(nameOf(agent)).map((model) => item(model, t('recently used')));
  const set = settings.model === undefined ? [] : [item(settings.model, t('in the settings'))];
  const usual = (agentChoices.get(agent.type)?.models ?? []).map((model) => item(model, ''));
  const all = [own, ...set, ...recent, ...usual];
  const answer = await askForWords({
    ...step,
    title: t('Model for {0}', agent.label),
    placeholder: t('Select a model, or type the name of any model that the agent supports'),
    canGoBack: true,
    value: '',
    items: all.filter((candidate, at) => all.findIndex(({ model }) => model === candidate.model) === at),
    accepts: (text, found) => found !== undefined || (text.trim() !== '' && isAgentName(text.trim())),
  });
  if (answer.kind !== 'value') return answer;
  const { item: found, text } = answer.value;
  return { kind: 'value', value: found?.model ?? text.trim() };
}

async function askForMode({ agent, settings, step }: Subject, choice: RunChoice): Promise<Answer<string>> {
  const choices = agentChoices.get(agent.type);
  const texts = modeTexts(choices?.settings ?? '');
  const now = withChoice(settings, choice).permissionMode ?? 'default';
  const items = (choices?.modes ?? []).map(({ id }) => {
    const bypass = isBypass(agent.type, id);
    const detail = texts.get(id) ?? '';
    return {
      label: id === 'default' ? t('Default') : id,
      description: bypass ? t('for this run only') : '',
      detail,
      iconPath: bypass
        ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'))
        : new vscode.ThemeIcon('shield'),
      mode: id,
    };
  });
  const answer = await ask({
    ...step,
    title: t('Permission Mode for {0}', agent.label),
    placeholder: t('Permission mode'),
    canGoBack: true,
    items: () => Promise.resolve(items),
    isActive: ({ mode }) => mode === now,
  });
  return answer.kind === 'value' ? { kind: 'value', value: answer.value.mode } : answer;
}

/** The agent reports its modes only during a run, and rejects an unknown one with the available ones. */
async function askForNamedMode({ agent, settings, step }: Subject): Promise<Answer<string>> {
  const item = (label: string, mode: string, description = '') => ({ label: inertText(label), mode, description });
  const set = settings.permissionMode;
  const answer = await askForWords({
    ...step,
    title: t('Permission Mode for {0}', agent.label),
    placeholder: t('Enter a mode of this agent. If it is not valid, Vitrine lists the valid modes'),
    canGoBack: true,
    value: '',
    items: [item(t('Default'), 'default'), ...(set === undefined ? [] : [item(set, set, t('in the settings'))])],
    accepts: (text, found) => found !== undefined || (text.trim() !== '' && isAgentName(text.trim())),
  });
  if (answer.kind !== 'value') return answer;
  const { item: found, text } = answer.value;
  return { kind: 'value', value: found?.mode ?? text.trim() };
}

async function askForLimit(
  { agent, settings, step }: Subject,
  choice: RunChoice,
  { name, minimum, isInteger }: Limit,
): Promise<Answer<number>> {
  const now = withChoice(settings, choice)[name];
  const numberIn = (text: string): number | undefined => {
    const value = /^\d+(?:[.,]\d+)?$/.test(text.trim()) ? Number(text.trim().replace(',', '.')) : Number.NaN;
    return value >= minimum && value <= 1e9 && (!isInteger || Number.isInteger(value)) ? value : undefined;
  };
  const answer = await askForWords({
    ...step,
    title: t('{0} of {1}', limitLabel(name), agent.label),
    placeholder: t('A number, {0} or more', minimum),
    canGoBack: true,
    value: now === undefined ? '' : String(now),
    items: [{ label: t('No limit') }],
    accepts: (text, item) => item !== undefined || numberIn(text) !== undefined,
  });
  if (answer.kind !== 'value') return answer;
  const { item, text } = answer.value;
  return { kind: 'value', value: item === undefined ? (numberIn(text) ?? 0) : 0 };
}
