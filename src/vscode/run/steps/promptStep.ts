import * as vscode from 'vscode';
import { inertText } from '../../text/inertText.ts';
import { askForWords, type Answer, type Step } from '../../window/quickInput.ts';
import type { Excerpt } from './excerpt.ts';

const { t } = vscode.l10n;

type PromptItem = vscode.QuickPickItem & { readonly action: 'run' | 'options' | 'recall' | 'edit' };

/** The prompt, and whether to run it or do something else first. */
export interface PromptResult {
  readonly prompt: string;
  readonly next: PromptItem['action'];
}

/** A row that filtering cannot hide or move: its text is not in the label. */
const row = (icon: string, description: string, action: PromptItem['action'], detail?: string): PromptItem => ({
  label: `$(${icon})`,
  description,
  alwaysShow: true,
  action,
  ...(detail === undefined ? {} : { detail }),
});

/** Asks for the prompt; rows below show and change the options. Enter runs. */
export async function askForPrompt(
  step: Omit<Step, 'placeholder'>,
  {
    prompt,
    line,
    options,
    excerpts,
    recallSummary,
  }: {
    readonly prompt: string;
    /** Options of the run. */
    readonly line: string;
    readonly options: boolean;
    readonly excerpts: readonly Excerpt[];
    /** Summary of the added context; absent: none. */
    readonly recallSummary: string | undefined;
  },
): Promise<Answer<PromptResult>> {
  const places = inertText(excerpts.map(({ label }) => label).join(', '));
  const answer = await askForWords<PromptItem>({
    ...step,
    placeholder: excerpts.length === 0 ? t('Prompt') : t('Prompt about {0}', places),
    value: prompt,
    items: [
      row('play', t('Run: {0}', line), 'run'),
      ...(options ? [row('settings-gear', t('Model, permission mode, limits…'), 'options')] : []),
      ...(excerpts.length === 0
        ? []
        : [row('file-code', t('Sent with the prompt: {0}', places), 'edit', previewOf(excerpts))]),
      row('history', recallSummary ?? t('Context from earlier sessions…'), 'recall'),
      row('edit', t('Write Prompt in an Editor…'), 'edit'),
    ],
    accepts: (text, item) => !(item?.action === 'run' || item?.action === 'recall') || text.trim() !== '',
  });
  if (answer.kind !== 'value') return answer;
  return { kind: 'value', value: { prompt: answer.value.text, next: answer.value.item?.action ?? 'run' } };
}

/** Beginning of the excerpts, on one line. */
function previewOf(excerpts: readonly Excerpt[]): string {
  const line = excerpts
    .map(({ label, text }) => text.slice(label.length).replaceAll(/^\s*`+\S*$/gm, ''))
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return inertText(line.length > 160 ? `${line.slice(0, 159)}…` : line);
}
