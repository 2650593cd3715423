import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { Agent } from '../../model/agent/agent.ts';
import { inertText } from '../text/inertText.ts';
import { OpenQuestions } from './openQuestions.ts';

const { t } = vscode.l10n;

/**
 * Values of `${input:name}`, requested once and kept in the secret storage. Values belong to one file: another
 * repository that uses the same name does not get them.
 */
export class AgentInputs {
  readonly #secrets: vscode.SecretStorage;
  /** Opening an input box closes the previous one. */
  readonly #boxes = new OpenQuestions<string | undefined>();

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  /** `undefined` if the user entered none. */
  async value({ file, name: agent }: Pick<Agent, 'file' | 'name'>, name: string): Promise<string | undefined> {
    const key = keyOf(file, name);
    return (await this.#secrets.get(key)) ?? this.#boxes.ask(key, () => this.#ask(key, agent, name));
  }

  async #ask(key: string, agent: string, name: string): Promise<string | undefined> {
    const input = await vscode.window.showInputBox({
      title: t('{0} for the agent {1}', inertText(name), inertText(agent)),
      prompt: t('Saved in this machine’s secret storage and passed only to this agent’s MCP servers.'),
      password: true,
      ignoreFocusOut: true,
    });
    if (input === undefined || input === '') return undefined;
    await this.#secrets.store(key, input);
    return input;
  }

  async forget(file: string, names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#secrets.delete(keyOf(file, name))));
  }
}

function keyOf(file: string, name: string): string {
  return `agent.input.${createHash('sha256').update(file).digest('hex').slice(0, 16)}.${name}`;
}
