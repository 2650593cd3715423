import * as vscode from 'vscode';
import type { SendMode } from '../../engine/api.ts';
import type { SessionHandle } from '../engine/windowEngine.ts';
import type { SessionFile } from '../../insight/files/files.ts';
import type { Answer } from '../../model/agent/request.ts';
import type { PageCommand } from '../../protocol/panel/messages.ts';
import type { FollowUpWatch } from '../followUps/followUpWatch.ts';
import { inertText } from '../text/inertText.ts';
import { openChange, openFile, openLink } from '../documents/openers.ts';
import type { PageMemory } from './pageMemory.ts';
import type { RunControl } from '../run/runControl.ts';

/** What a page can ask for, and no more: each command stands for one of ours. */
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

/** What happens outside a page when a person does something in it. */
export class PageActions {
  readonly memory: PageMemory;
  readonly windowId: string;
  readonly #runs: RunControl;
  readonly #followUps: FollowUpWatch;

  /** `windowId`: by which the daemon knows this window. */
  constructor(runs: RunControl, followUps: FollowUpWatch, memory: PageMemory, windowId: string) {
    this.windowId = windowId;
    this.#runs = runs;
    this.#followUps = followUps;
    this.memory = memory;
  }

  /** Tells when what `dueAt` says of any session may have changed. */
  get onDidChangeDue(): vscode.Event<void> {
    return this.#followUps.onDidChange;
  }

  /** When a follow-up goes out to the session, ISO 8601; `undefined`: none will. */
  dueAt(id: string): string | undefined {
    const due = this.#followUps.due().find(({ session_id }) => session_id === id);
    return due === undefined ? undefined : new Date(due.at).toISOString();
  }

  /** Who writes to the agent needs no one else to do it. */
  typing(id: string): Promise<void> {
    return this.#followUps.cancel(id);
  }

  /** To the agent that is running, or to a new run of the session. False where it was not sent and the person knows why. */
  async send(handle: SessionHandle, text: string, how: SendMode = 'queue'): Promise<boolean> {
    const conversation = handle.conversation();
    if (conversation?.takesMessages !== true) return (await this.#runs.resume(handle.id, text)) !== undefined;
    try {
      await conversation.say(text, how);
      return true;
    } catch (error) {
      void vscode.window.showWarningMessage(inertText(error instanceof Error ? error.message : String(error)));
      return false;
    }
  }

  /** False where it is no answer to anything that waits. */
  async answer(handle: SessionHandle, id: string, answer: Answer): Promise<boolean> {
    return (await handle.conversation()?.answer(id, answer)) === true;
  }

  stop(id: string): Promise<void> {
    return this.#runs.stop(id);
  }

  openFile(base: string | undefined, path: string, line?: number, endLine?: number): Promise<void> {
    return openFile(base, path, line, endLine);
  }

  openDiff(handle: SessionHandle, index: number): Promise<void> {
    return openChange(handle, index);
  }

  /** `files`: what the session read and changed. */
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

  /** Only to where the record says that a passage is from: the page names no session. */
  async openRecalled(handle: SessionHandle, index: number, passage: number): Promise<void> {
    const { recalledFrom } = await import('../../engine/recall/recallPrompt.ts');
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
