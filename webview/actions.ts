import type { PageCommand } from '../src/protocol/messages.ts';
import type { ViewId } from './views/view.ts';

/** What a reader can do; everything that reaches beyond the page goes to the host as a message. */
export interface Actions {
  copy(text: string): void;
  openFile(path: string, line?: number): void;
  openDiff(index: number): void;
  followPage(url: string): void;
  command(command: PageCommand): void;
  stop(): void;
  /** Shows an entry in the transcript, open, with the keyboard on it. */
  reveal(index: number): void;
  showView(id: ViewId): void;
  /** Leads to the request that waits longest, to be read. */
  review(): void;
  takeBack(id: number): void;
  /** Fetches the whole of an entry that had been cut. */
  complete(index: number): void;
  toggle(key: string): void;
  toggleOpen(key: string): void;
  collapseAll(): void;
  scrollToEnd(): void;
  find(): void;
  focusComposer(): void;
}
