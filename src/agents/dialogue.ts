import type { AgentRequest, Decision } from '../model/agent/request.ts';
import type { ClientLine } from '../model/transcript/clientLine.ts';

/** What the engine adds to a request: its place in time and space. */
export type NewRequest = Omit<AgentRequest, 'asked_at' | 'expires_at'>;

/**
 * What comes after a turn on its own. `goes_on`: the agent works in the background, so its input stays open, and another
 * turn follows. `may_go_on`: perhaps one does at once; the input is closed when nothing comes.
 */
export type MoreToCome = 'done' | 'may_go_on' | 'goes_on';

/** What a dialogue may do to the world. The engine gives it; nothing here throws. */
export interface DialogueHost {
  /** One line to the agent's input, without its line end. Does nothing once the input is closed. */
  write(line: string): void;
  /**
   * Shows the request and waits for a person. Always settles: with a denial when the time has ended, the run ends, no one
   * can be asked, or `withdrawn` settles.
   */
  ask(request: NewRequest, withdrawn?: PromiseLike<unknown>): Promise<Decision>;
  /** Into the transcript and the record. */
  tell(line: ClientLine): void;
  /** Called after every turn: the engine says the next queued message, or closes the input. Default `done`. */
  turnOver(more?: MoreToCome): void;
  /** The agent began a turn on its own: messages wait until it has ended. */
  turnBegan(): void;
  /** This process can do nothing more: its input is closed, and what waits to be said waits for another. */
  leave(): void;
  /** The conversation cannot continue; `message` says what was wrong and what to do. The engine stops the agent. */
  fail(message: string): void;
}

/** The speaking half of a conversation with a live process; the normalizer is the reading half. One per process. */
export interface Dialogue {
  /** `false`: the agent continues living when its input is closed, and is stopped then. */
  readonly endsWithInput?: boolean;
  /** A stop asks for the end of the turn before it signals: the agent then says how far it came. */
  readonly stopsByWord?: boolean;
  /** The process runs: greets it and gives it the prompt. */
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
