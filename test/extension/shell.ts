import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { VitrineApi } from '../../src/vscode/api/types/vitrine.d.ts';

/** Looks again and again until there is something, or fails after `timeout` milliseconds with what was missing. */
export async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined, timeout = 60_000) {
  for (const end = performance.now() + timeout; ;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) assert.fail(`${what}: not within ${timeout / 1000} s`);
    await delay(25);
  }
}

/** Activates Vitrine, with the fake agent as Claude Code. */
export async function activateWithFakeAgent(): Promise<VitrineApi> {
  const extension = vscode.extensions.getExtension<VitrineApi>('vitrine.vitrine');
  assert.ok(extension);
  const api = await extension.activate();
  const agent = path.join(extension.extensionPath, 'test/support/fakeAgent/agent.mjs');
  await vscode.workspace.getConfiguration('vitrine').update('claude.path', agent, vscode.ConfigurationTarget.Global);
  return api;
}

/** What Doctor says, as its page is copied. */
export async function doctorText(): Promise<string> {
  const text = await vscode.commands.executeCommand('vitrine.doctor');
  assert.ok(typeof text === 'string');
  return text;
}

let store: string | undefined;

/** Where this host keeps records, as Doctor tells a person. */
export async function storeFolder(): Promise<string> {
  store ??= /^- Store: `(.+)`$/mu.exec(await doctorText())?.[1];
  assert.ok(store, 'Doctor says where records are kept');
  return store;
}

/** Lines of a session's record; none while there is no file. */
export async function record(id: string): Promise<{ kind: string; [key: string]: unknown }[]> {
  const file = vscode.Uri.file(path.join(await storeFolder(), 'sessions', id, 'record.jsonl'));
  const bytes = await vscode.workspace.fs.readFile(file).then(
    (read) => read,
    () => new Uint8Array(),
  );
  const lines = new TextDecoder().decode(bytes).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as { kind: string });
}

export async function results(id: string): Promise<number> {
  return (await record(id)).filter(({ kind }) => kind === 'result').length;
}

export function sessionTabs(): readonly vscode.Tab[] {
  return webviewTabs('vitrine.session');
}

export function webviewTabs(viewType: string): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(viewType));
}

interface DialogTexts {
  readonly title: string | undefined;
  readonly placeholder?: string | undefined;
  readonly prompt?: string | undefined;
  readonly value?: string | undefined;
  /** Label and detail of each item. */
  readonly items?: readonly (readonly [string, string | undefined])[];
}

/** Between `start` and `stop`, records the texts of lists and input boxes, which VS Code shows as usual. */
export function recordDialogs() {
  const { showQuickPick, showInputBox } = vscode.window;
  const texts: DialogTexts[] = [];
  let preferred = '';
  const recorded = {
    showQuickPick: (items: readonly vscode.QuickPickItem[], options: vscode.QuickPickOptions = {}) => {
      const { title, placeHolder: placeholder } = options;
      texts.push({ title, placeholder, items: items.map(({ label, detail }) => [label, detail]) });
      const isPreferred = ({ label }: vscode.QuickPickItem): boolean => preferred !== '' && label.includes(preferred);
      const first = items.filter(isPreferred);
      return showQuickPick([...first, ...items.filter((item) => !isPreferred(item))], options);
    },
    showInputBox: (options: vscode.InputBoxOptions = {}) => {
      const { title, prompt, value } = options;
      texts.push({ title, prompt, value });
      return showInputBox(options);
    },
  };
  return {
    texts,
    /** Moves the item with this text to the top, where it has the focus. */
    prefer: (label: string): void => void (preferred = label),
    start: (): void => {
      texts.length = 0;
      preferred = '';
      Object.assign(vscode.window, recorded);
    },
    stop: (): void => void Object.assign(vscode.window, { showQuickPick, showInputBox }),
  };
}
