import * as vscode from 'vscode';
import { inertText } from '../text/inertText.ts';

/** Result of a quick input step. */
export type Answer<T> =
  { readonly kind: 'value'; readonly value: T } | { readonly kind: 'back' } | { readonly kind: 'none' };

export interface Step {
  readonly title: string;
  readonly step: number;
  readonly steps: number;
  readonly placeholder: string;
  readonly canGoBack: boolean;
}

interface Choice<I> extends Step {
  readonly items: () => Promise<readonly I[]>;
  /** The preselected item; default: the first. */
  readonly isActive?: (item: I) => boolean;
  /** What the button of an item shows in its place. */
  readonly swap?: (item: I) => I | undefined;
}

interface MultipleChoice<I> extends Step {
  readonly items: () => Promise<readonly I[]>;
  readonly most: number;
  readonly tooManyText: string;
}

interface Words<I> extends Step {
  readonly value: string;
  /** Rows below the input. A label of only an icon keeps a row from being filtered or sorted. */
  readonly items: readonly I[];
  readonly accepts: (text: string, item: I | undefined) => boolean;
}

/** Single choice. */
export function ask<I extends vscode.QuickPickItem>(choice: Choice<I>): Promise<Answer<I>> {
  const pick = vscode.window.createQuickPick<I>();
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  const filled = fillPick(pick, choice.items).then(() => {
    const active = pick.items.find((item) => choice.isActive?.(item) === true);
    if (active !== undefined) pick.activeItems = [active];
  });
  pick.onDidTriggerItemButton(({ item }) => {
    const other = choice.swap?.(item);
    if (other === undefined) return;
    pick.items = pick.items.map((candidate) => (candidate === item ? other : candidate));
    pick.activeItems = [other];
  });
  return showInput(pick, choice, () => pick.selectedItems[0], filled);
}

/** Multiple choice, at least one item. */
export function askForMany<I extends vscode.QuickPickItem>(choice: MultipleChoice<I>): Promise<Answer<readonly I[]>> {
  const pick = vscode.window.createQuickPick<I>();
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  const { most, tooManyText, title } = choice;
  pick.onDidChangeSelection((chosen) => {
    pick.title = inertText(chosen.length > most ? `${title}: ${tooManyText}` : title);
  });
  const value = () =>
    pick.selectedItems.length > 0 && pick.selectedItems.length <= most ? pick.selectedItems : undefined;
  return showInput(pick, choice, value, fillPick(pick, choice.items));
}

/** Text input with action rows below. */
export function askForWords<I extends vscode.QuickPickItem>(
  words: Words<I>,
): Promise<Answer<{ readonly text: string; readonly item: I | undefined }>> {
  const pick = vscode.window.createQuickPick<I>();
  pick.items = words.items;
  pick.value = words.value;
  const value = () => {
    const [item] = pick.selectedItems;
    return words.accepts(pick.value, item) ? { text: pick.value, item } : undefined;
  };
  return showInput(pick, words, value, Promise.resolve());
}

interface Text extends Step {
  readonly value: string;
  /** Error message; `undefined` if the text is valid. */
  readonly validate?: (text: string) => string | undefined;
}

/** Text input. */
export function askForText({ value, validate = () => undefined, ...step }: Text): Promise<Answer<string>> {
  const input = vscode.window.createInputBox();
  input.value = value;
  input.onDidChangeValue((text) => (input.validationMessage = validate(text)));
  const accepted = (): string | undefined => {
    input.validationMessage = validate(input.value);
    return input.validationMessage === undefined ? input.value : undefined;
  };
  return showInput(input, step, accepted, Promise.resolve());
}

async function fillPick<I extends vscode.QuickPickItem>(
  pick: vscode.QuickPick<I>,
  items: () => Promise<readonly I[]>,
): Promise<void> {
  pick.busy = true;
  pick.items = await items();
  pick.busy = false;
}

/**
 * Disposes an input after the next one has opened. In between, a session's page would get the keyboard focus and some
 * of the typed text.
 */
export function disposeLater(input: { dispose(): void }): void {
  setTimeout(() => {
    input.dispose();
  });
}

/**
 * Shows the input until it is accepted, closed, or left with the back button. Rejects if its items cannot be loaded.
 * Escapes title and placeholder, which may contain names from files and settings; rows do that themselves, because some
 * have icons.
 */
function showInput<V>(
  input: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox,
  { title, step, steps, placeholder, canGoBack }: Step,
  value: () => V | undefined,
  filled: Promise<void>,
): Promise<Answer<V>> {
  const words = { title: inertText(title), placeholder: inertText(placeholder) };
  Object.assign(input, { ...words, step, totalSteps: steps, ignoreFocusOut: true });
  if (canGoBack) input.buttons = [vscode.QuickInputButtons.Back];
  return new Promise<Answer<V>>((resolve, reject) => {
    filled.catch(reject);
    input.onDidTriggerButton(() => resolve({ kind: 'back' }));
    input.onDidHide(() => resolve({ kind: 'none' }));
    input.onDidAccept(() => {
      const found = value();
      if (found !== undefined) resolve({ kind: 'value', value: found });
    });
    input.show();
  }).finally(() => disposeLater(input));
}
