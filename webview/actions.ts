import type { DetailLevel } from '../src/protocol/panel/detailLevel.ts';
import type { PageCommand } from '../src/protocol/panel/messages.ts';
import type { ViewId } from './views/viewIds.ts';

/** What a reader can do; everything outside the page goes to the host as a message. */
export interface Actions {
  copy(text: string): void;
  /** Lines are 1-based and inclusive; selects both. */
  openFile(path: string, line?: number, endLine?: number): void;
  openDiff(index: number): void;
  /** Opens the recorded edits of a file, or of all files. */
  openChanges(path?: string): void;
  followPage(url: string): void;
  /** Opens the earlier session of a passage, by its position in the note. */
  openRecalled(index: number, passage: number): void;
  command(command: PageCommand): void;
  stop(): void;
  /** Shows an entry in the transcript, open and focused. */
  reveal(index: number): void;
  showView(id: ViewId): void;
  /** Shows the step of an entry in the trajectory. */
  revealStep(index: number): void;
  /** Reveals the request that has waited longest. */
  review(): void;
  takeBack(id: number): void;
  /** Fetches the complete entry if it was cut. */
  fetchCompleteEntry(index: number): void;
  /** Hides automatic messages to the agent, or shows them again. */
  setPeopleOnly(on: boolean): void;
  setShowsSynthetic(on: boolean): void;
  toggle(key: string): void;
  toggleOpen(key: string): void;
  collapseAll(): void;
  /** Opens the prompt picker. */
  pickPrompt(): void;
  /** Level of detail of the transcript, here and in later sessions. */
  setDetail(level: DetailLevel): void;
  scrollToEnd(): void;
  find(): void;
  focusComposer(): void;
}
