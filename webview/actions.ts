import type { DetailLevel } from '../src/protocol/panel/detailLevel.ts';
import type { PageCommand } from '../src/protocol/panel/messages.ts';
import type { ViewId } from './views/viewIds.ts';

/** What a reader can do; everything that reaches beyond the page goes to the host as a message. */
export interface Actions {
  copy(text: string): void;
  /** Lines are 1-based and inclusive; both select. */
  openFile(path: string, line?: number, endLine?: number): void;
  openDiff(index: number): void;
  /** What recorded edits did to a file, or to all of them. */
  openChanges(path?: string): void;
  followPage(url: string): void;
  /** Goes to what a passage of an earlier session is from, by its place in the note. */
  openRecalled(index: number, passage: number): void;
  command(command: PageCommand): void;
  stop(): void;
  /** Shows an entry in the transcript, open, with the keyboard on it. */
  reveal(index: number): void;
  showView(id: ViewId): void;
  /** Shows the step of an entry in the trajectory. */
  revealStep(index: number): void;
  /** Leads to the request that waits longest, to be read. */
  review(): void;
  takeBack(id: number): void;
  /** Fetches the whole of an entry that had been cut. */
  complete(index: number): void;
  /** Hides automatic messages to the agent, or shows them again. */
  setPeopleOnly(on: boolean): void;
  setShowsSynthetic(on: boolean): void;
  toggle(key: string): void;
  toggleOpen(key: string): void;
  collapseAll(): void;
  /** Asks which prompt to go to. */
  pickPrompt(): void;
  /** How much the transcript shows, here and in sessions to come. */
  setDetail(level: DetailLevel): void;
  scrollToEnd(): void;
  find(): void;
  focusComposer(): void;
}
