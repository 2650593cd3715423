import * as vscode from 'vscode';
import type { SendMode } from '../../engine/api.ts';
import type { SessionHandle } from '../engine/windowEngine.ts';
import type { SessionFile } from '../../insight/files/files.ts';
import type { Answer } from '../../model/agent/request.ts';
import type { EditRequests } from '../requests/editRequests.ts';
import type { PageCommand } from '../../protocol/panel/messages.ts';
import type { FollowUpWatch } from '../followUps/followUpWatch.ts';
import { inertText } from '../text/inertText.ts';
import { openChange, openFile, openLink } from '../documents/openers.ts';
import type { PageMemory } from './pageMemory.ts';
import type { RunControl } from '../run/runControl.ts';

/** All commands that a page may run. */
const commands: Readonly<Record<PageCommand, string>> = {
  rename: 'vitrine.renameSession',
  copySessionId: 'vitrine.copySessionId',
  copyLink: 'vitrine.copyLink',
  copyMarkdown: 'vitrine.copyMarkdown',
  copyResumeCommand: 'vitrine.copyResumeCommand',
  fork: 'vitrine.forkSession',
  keep: 'vitrine.keepSession',
  revealRecord: 'vitrine.revealRecord',
  showRawOutput: 'vitrine.showRawOutput',
  verify: 'vitrine.verifyRecord',
  showCapabilities: 'vitrine.showCapabilities',
  checkResume: 'vitrine.checkResume',
  showCost: 'vitrine.showCost',
  showUsage: 'vitrine.usage.focus',
  export: 'vitrine.exportSession',
  raiseBudget: 'vitrine.raiseBudget',
  changeOptions: 'vitrine.changeOptions',
  manageTrust: 'workbench.trust.manage',
  runAgent: 'vitrine.runAgent',
  delete: 'vitrine.deleteSession',
  cancelFollowUp: 'vitrine.cancelFollowUp',
};
const withoutSession: readonly PageCommand[] = ['manageTrust', 'runAgent', 'showUsage'];

/** Executes the user's actions in a page. */
export class PageActions {
  readonly memory: PageMemory;
  readonly windowId: string;
  readonly #runs: RunControl;
  readonly #followUps: FollowUpWatch;
  readonly #edits: () => Promise<EditRequests>;

  /** `windowId` identifies this window in the daemon. */
  constructor(
    runs: RunControl,
    followUps: FollowUpWatch,
    edits: () => Promise<EditRequests>,
    memory: PageMemory,
    windowId: string,
  ) {
    this.windowId = windowId;
    this.#edits = edits;
    this.#runs = runs;
    this.#followUps = followUps;
    this.memory = memory;
  }

  /** Fires when the result of `dueAt` may have changed for any session. */
  get onDidChangeDue(): vscode.Event<void> {
    return this.#followUps.onDidChange;
  }

  /** Time of the session's next follow-up, ISO 8601; `undefined` if there is none. */
  dueAt(id: string): string | undefined {
    const due = this.#followUps.due().find(({ session_id }) => session_id === id);
    return due === undefined ? undefined : new Date(due.at).toISOString();
  }

  /** No follow-up is sent while the user is typing. */
  handleTyping(id: string): Promise<void> {
    return this.#followUps.cancel(id);
  }

  /** Sends to the running agent or starts a new run. Returns false if it failed and the user was told why. */
  async send(handle: SessionHandle, text: string, how: SendMode = 'queue'): Promise<boolean> {
    const conversation = handle.conversation();
    if (conversation?.takesMessages !== true) return (await this.#runs.resume(handle.id, text)) !== undefined;
    try {
      await conversation.sendMessage(text, how);
      return true;
    } catch (error) {
      void vscode.window.showWarningMessage(inertText(error instanceof Error ? error.message : String(error)));
      return false;
    }
  }

  /** Returns false if the answer matches no pending request. */
  async answer(handle: SessionHandle, id: string, answer: Answer): Promise<boolean> {
    return (await handle.conversation()?.answer(id, answer)) === true;
  }

  stop(id: string): Promise<void> {
    return this.#runs.stop(id);
  }

  openFile(base: string | undefined, path: string, line?: number, endLine?: number): Promise<void> {
    return openFile(base, path, line, endLine);
  }

  /** Opens the edit of a waiting request in an editor in which the user can change it. */
  async openDiff(handle: SessionHandle, index: number): Promise<void> {
    const [entry] = await handle.read(index, index + 1);
    if (entry?.type.kind !== 'system_message') return openChange(handle, index);
    await (await this.#edits()).open(handle, entry);
  }

  /** `files`: files that the session read or changed. */
  async openFileChanges(handle: SessionHandle, files: readonly SessionFile[], path: string): Promise<void> {
    const { openFileChanges } = await import('../documents/sessionChanges.ts');
    return openFileChanges(handle, files, path);
  }

  async openAllChanges(handle: SessionHandle, files: readonly SessionFile[]): Promise<void> {
    const { openAllChanges } = await import('../documents/sessionChanges.ts');
    return openAllChanges(handle, files);
  }

  openLink(url: string): Promise<void> {
    return openLink(url);
  }

  /** Opens the recorded source of a passage; the page cannot choose a session. */
  async openRecalled(handle: SessionHandle, index: number, passage: number): Promise<void> {
    const { passageSource: recalledFrom } = await import('../../engine/recall/recallPrompt.ts');
    const [entry] = await handle.read(index, index + 1);
    const from = entry === undefined ? undefined : recalledFrom(entry, passage);
    if (from === undefined) return;
    await vscode.commands.executeCommand('vitrine.openSearchHit', from.session_id, from.entry);
  }

  async copy(text: string): Promise<void> {
    await vscode.env.clipboard.writeText(text);
  }

  async command(command: PageCommand, id: string): Promise<void> {
    await vscode.commands.executeCommand(commands[command], ...(withoutSession.includes(command) ? [] : [id]));
  }
}
