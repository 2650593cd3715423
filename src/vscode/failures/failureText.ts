import type { EngineFailure } from '../../engine/failures/failures.ts';
import { reachedText } from '../budgets/budgetText.ts';
import * as vscode from 'vscode';
import { withFullStop } from '../../model/text/fullStop.ts';
import { wordingText, type Wording } from '../../engine/failures/wording.ts';

/** What happened, why, and what to do next, in the user's language. */
export function failureText({ words, budget }: EngineFailure): { readonly message: string; readonly detail: string } {
  return {
    message: budget === undefined ? translateWording(words.message) : `${reachedText(budget)}.`,
    detail: translateWording(words.detail),
  };
}

export function failureSentences(failure: EngineFailure): string {
  const { message, detail } = failureText(failure);
  return detail === '' ? message : `${withFullStop(message)} ${detail}`.trim();
}

/** The text in VS Code's display language. */
export function translateWording(wording: Wording): string {
  return wordingText(wording, (template) => vscode.l10n.t(template));
}
