import type { AgentRequest, Decision } from '../model/agent/request.ts';
import type { ClientLine } from '../model/transcript/clientLine.ts';

/** What the engine adds to a request: its place in time and space. */
export type NewRequest = Omit<AgentRequest, 'asked_at' | 'expires_at'>;

/**
 * What comes after a turn on its own. `goes_on`: the agent works in the background, so its input stays open, and another
 * turn follows. `may_go_on`: perhaps one does at once; the input is closed when nothing comes.
 */
export type MoreToCome = 'done' | 'may_go_on' | 'goes_on';

/** Effects that the engine provides to a dialogue. Nothing here throws. */
export interface DialogueHost {
  /** One line to the agent's input, without its line end. Does nothing once the input is closed. */
  write(line: string): void;
  /**
   * Shows the request and waits for the user. Always settles: with a denial on timeout, at the end of the run, if no
   * one can answer, or when `withdrawn` settles.
   */
  ask(request: NewRequest, withdrawn?: PromiseLike<unknown>): Promise<Decision>;
  /** Into the transcript and the record. */
  tell(line: ClientLine): void;
  /** Called after every turn: the engine says the next queued message, or closes the input. Default `done`. */
  turnOver(more?: MoreToCome): void;
  /** The agent started a turn on its own: messages wait until it ends. */
  turnBegan(): void;
  /** This process can do nothing more: its input is closed, and what waits to be said waits for another. */
  leave(): void;
  /** The conversation cannot continue; `message` gives the reason and the remedy. The engine stops the agent. */
  fail(message: string): void;
}

/** Writes to a live process; the normalizer reads from it. One per process. */
export interface Dialogue {
  /** `false`: the agent does not exit when its input is closed; the engine stops it. */
  readonly endsWithInput?: boolean;
  /** A stop asks for the end of the turn before it signals: the agent then says how far it came. */
  readonly stopsByWord?: boolean;
  /** The process has started: sends the greeting and the prompt. */
  begin(): void;
  /** A whole line of the agent's stdout, after the normalizer had it. */
  line(text: string): void;
  /** The beginning of a line that was too long to be read; there may be a request in it that no one will answer. */
  tooLong?(head: string): void;
  /** The next message of the user, between turns or, where the agent takes it, within one. */
  say(text: string): void;
  /** Ends the active turn, politely; `turnOver` follows. */
  interrupt(): void;
  setModel?(model: string): void;
  setPermissionMode?(mode: string): void;
  /** No more lines will come. A promise settles, and never fails, once all is ended that was started for the agent. */
  end(): void | Promise<void>;
}

/** Made for one process. */
export type DialogueFactory = (host: DialogueHost) => Dialogue;
