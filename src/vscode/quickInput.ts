import * as vscode from 'vscode';

/** What a step of a quick input came to. */
export type Answer<T> =
  { readonly kind: 'value'; readonly value: T } | { readonly kind: 'back' } | { readonly kind: 'none' };

interface Step {
  readonly title: string;
  readonly step: number;
  readonly steps: number;
  readonly placeholder: string;
  readonly back: boolean;
}

interface Choice<I> extends Step {
  readonly items: () => Promise<readonly I[]>;
}

interface Text extends Step {
  readonly prompt: string;
}

/** One step: a choice, or a line of text that is not empty. */
export function ask<I extends vscode.QuickPickItem>(choice: Choice<I>): Promise<Answer<I>>;
export function ask(text: Text): Promise<Answer<string>>;
export function ask(options: Choice<vscode.QuickPickItem> | Text): Promise<Answer<unknown>> {
  return 'items' in options ? choose(options) : write(options);
}

function choose<I extends vscode.QuickPickItem>(options: Choice<I>): Promise<Answer<I>> {
  const pick = vscode.window.createQuickPick<I>();
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.busy = true;
  const filled = options.items().then((items) => {
    pick.items = items;
    pick.busy = false;
  });
  return answered(pick, options, () => pick.selectedItems[0], filled);
}

function write(options: Text): Promise<Answer<string>> {
  const box = vscode.window.createInputBox();
  box.prompt = options.prompt;
  return answered(box, options, () => (box.value.trim() === '' ? undefined : box.value), Promise.resolve());
}

/** Shows the input until it is accepted, left by the back button or closed; rejects where its items cannot be had. */
function answered<V>(
  input: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox,
  options: Step,
  value: () => V | undefined,
  filled: Promise<void>,
): Promise<Answer<V>> {
  input.title = options.title;
  input.step = options.step;
  input.totalSteps = options.steps;
  input.placeholder = options.placeholder;
  input.ignoreFocusOut = true;
  if (options.back) input.buttons = [vscode.QuickInputButtons.Back];
  return new Promise<Answer<V>>((resolve, reject) => {
    filled.catch(reject);
    input.onDidTriggerButton(() => resolve({ kind: 'back' }));
    input.onDidHide(() => resolve({ kind: 'none' }));
    input.onDidAccept(() => {
      const found = value();
      if (found !== undefined) resolve({ kind: 'value', value: found });
    });
    input.show();
  }).finally(() => input.dispose());
}
