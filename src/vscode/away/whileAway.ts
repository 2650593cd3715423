import * as vscode from 'vscode';
import { awaySummary, countUpdates, type AwaySummary, type LastVisit } from '../../insight/away/awaySummary.ts';
import { changesSince, parseVisits, type Visits } from '../../insight/away/visits.ts';
import { isProgrammatic } from '../observed/observedItems.ts';
import { isHere, type SessionList } from '../sessions/sessionList.ts';
import type { SessionRow } from '../sessions/sessionRow.ts';
import { interruptedRows } from './interrupted.ts';
import { unseenText } from './unseenText.ts';

const { t } = vscode.l10n;

const key = 'visits';
/** Debounce time in ms, because VS Code rewrites the whole state for each change. */
const quiet = 5000;

interface WhileAwayDeps {
  readonly state: vscode.Memento;
  readonly list: SessionList;
  /** Loads sessions from disk, including those of other programs, once. */
  readonly load: () => void;
  /** Epoch ms. */
  readonly now: () => number;
  /** Number of sessions with unseen changes. */
  readonly onUnseenChange: (count: number) => void;
}

/** Tracks what happened in this folder since a window was last open, and shows a badge instead of a notification. */
export class WhileAway implements vscode.Disposable {
  readonly #deps: WhileAwayDeps;
  readonly #statusItem = vscode.window.createStatusBarItem('vitrine.whileAway', vscode.StatusBarAlignment.Left, 9);
  readonly #subscription: vscode.Disposable;
  readonly #visit: LastVisit | undefined;
  #isFirst = true;
  #hasUnseenChanges = false;
  #interrupted = -1;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: WhileAwayDeps) {
    this.#deps = deps;
    const { state, list, now } = deps;
    const saved = parseVisits(state.get<unknown>(key));
    const hasFolder = (vscode.workspace.workspaceFolders ?? []).length > 0;
    if (saved !== undefined && hasFolder)
      this.#visit = {
        at: changesSince(saved, now()),
        running: new Set(list.live().map(({ session_id: id }) => id)),
      };
    this.#statusItem.name = t('Vitrine: While You Were Away');
    this.#statusItem.command = 'vitrine.showWhileAway';
    this.#subscription = list.onDidChange(() => this.#handleListChange());
  }

  /** ISO 8601; `undefined` if no window was open on this folder before. */
  get since(): string | undefined {
    return this.#visit?.at;
  }

  summary(): AwaySummary<SessionRow> {
    const visit = this.#visit ?? { at: new Date(this.#deps.now()).toISOString(), running: new Set<string>() };
    return awaySummary([...this.#rows(), ...this.#observedRows()], visit);
  }

  /** Interrupted sessions that can be resumed together. */
  interruptedSessions(): readonly SessionRow[] {
    return interruptedRows(this.#rows(), this.#deps.now());
  }

  /** Call when the report is visible. */
  markSeen(): void {
    this.#hasUnseenChanges = false;
    this.#statusItem.hide();
    this.#notify(0);
    this.#saveSoon();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#statusItem.dispose();
    if (this.#timer !== undefined) this.#keep();
  }

  #rows(): readonly SessionRow[] {
    return this.#deps.list.here().filter(({ recording, hidden }) => !recording && hidden !== true);
  }

  /** Other programs' sessions in this folder, without those started by scripts. */
  #observedRows(): readonly SessionRow[] {
    return this.#deps.list.observed().filter((row) => isHere(row) && !isProgrammatic(row));
  }

  #handleListChange(): void {
    const { isComplete, isObservedComplete } = this.#deps.list;
    if (!isComplete || !isObservedComplete) {
      // An agent is running, so the other sessions matter from now on.
      this.#deps.load();
      return;
    }
    const interrupted = this.interruptedSessions().length;
    if (interrupted !== this.#interrupted) {
      this.#interrupted = interrupted;
      void vscode.commands.executeCommand('setContext', 'vitrine.interruptedSessions', interrupted);
    }
    if (this.#isFirst) {
      this.#isFirst = false;
      this.#showUnseenUpdates();
      this.#keep();
    } else this.#saveSoon();
  }

  /** Only sessions in the first complete list changed while the user was away. */
  #showUnseenUpdates(): void {
    const unseen = this.#visit === undefined ? 0 : countUpdates(this.summary(), this.#visit);
    if (unseen === 0) return;
    this.#hasUnseenChanges = true;
    const text = unseenText(unseen);
    this.#statusItem.text = `$(history) ${text}`;
    this.#statusItem.tooltip = t('Show what finished, failed, changed or needs you');
    this.#statusItem.accessibilityInformation = { label: t('Vitrine: {0}', text), role: 'button' };
    this.#statusItem.show();
    this.#notify(unseen);
  }

  #notify(unseen: number): void {
    this.#deps.onUnseenChange(unseen);
    void vscode.commands.executeCommand('setContext', 'vitrine.awayNews', unseen);
  }

  #saveSoon(): void {
    this.#timer ??= setTimeout(() => this.#keep(), quiet);
  }

  #keep(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { state, now } = this.#deps;
    const lastOpen = new Date(now()).toISOString();
    const unseenSince = this.#hasUnseenChanges ? this.#visit?.at : undefined;
    const visits: Visits = unseenSince === undefined ? { lastOpen } : { lastOpen, unseenSince: unseenSince };
    void state.update(key, visits);
  }
}
