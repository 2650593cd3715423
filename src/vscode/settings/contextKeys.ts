import * as vscode from 'vscode';
import { logLine } from '../../engine/log/logLine.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import { onReturn } from '../window/onReturn.ts';
import { hiddenTotal, type SessionList } from '../sessions/sessionList.ts';

/** Minimum interval in ms, because a check may start the user's shell. */
const lookEveryMs = 5000;

/** Context keys for menus and welcome views; each is set only when it changes. */
export class ContextKeys implements vscode.Disposable {
  readonly #list: SessionList;
  readonly #engines: EngineHost;
  readonly #log: vscode.LogOutputChannel;
  readonly #subscriptions: readonly { dispose(): unknown }[];
  readonly #set = new Map<string, unknown>();
  /** Epoch milliseconds; `undefined`: never. */
  #lastCheck: number | undefined;
  #isAgentMissing = false;

  constructor(list: SessionList, engines: EngineHost, log: vscode.LogOutputChannel) {
    this.#list = list;
    this.#engines = engines;
    this.#log = log;
    this.#subscriptions = [
      list.onDidChange(() => this.#update()),
      // The user may have installed an agent meanwhile.
      onReturn(vscode.window, () => {
        if (this.#isAgentMissing) this.#checkAgentsIfEmpty();
      }),
    ];
    this.#update();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #update(): void {
    this.#setContextKey('sessions', this.#list.here().length);
    this.#setContextKey('liveSessions', this.#list.live().length);
    this.#setContextKey('waitingSessions', this.#list.waiting().length);
    this.#setContextKey('hiddenSessions', hiddenTotal(this.#list.hidden()));
    if (this.#lastCheck === undefined) this.#checkAgentsIfEmpty();
  }

  /** Which welcome view is shown depends on installed agents; checked only when one will be shown. */
  #checkAgentsIfEmpty(): void {
    const empty = this.#list.isComplete && this.#list.visible().length === 0;
    if (!empty || Date.now() - (this.#lastCheck ?? 0) < lookEveryMs) return;
    this.#lastCheck = Date.now();
    void this.#lookForAgents();
  }

  async #lookForAgents(): Promise<void> {
    try {
      const agents = await (await this.#engines.get()).agents({ fresh: this.#isAgentMissing });
      this.#isAgentMissing = !agents.some(({ program }) => program !== null && 'path' in program);
      this.#setContextKey('agentMissing', this.#isAgentMissing);
    } catch (error) {
      this.#log.warn(logLine('agents not found', { error: String(error) }));
    }
    this.#setContextKey('listed', true);
  }

  #setContextKey(name: string, value: unknown): void {
    if (this.#set.get(name) === value) return;
    this.#set.set(name, value);
    void vscode.commands.executeCommand('setContext', `vitrine.${name}`, value);
  }
}
