import type { AgentRequest, Decision } from '../model/agent/request.ts';
import type { ClientLine } from '../model/transcript/clientLine.ts';

/** A request without the times that the engine adds. */
export type NewRequest = Omit<AgentRequest, 'asked_at' | 'expires_at'>;

/**
 * What follows a turn. `continues`: the agent works in the background, so its input stays open and another turn follows.
 * `may_continue`: one may follow immediately; otherwise the input is closed.
 */
export type Continuation = 'done' | 'may_continue' | 'continues';

/** Effects that the engine provides to a dialogue. Nothing here throws. */
export interface DialogueHost {
  /** One line to the agent's input, without its line end. Does nothing once the input is closed. */
  write(line: string): void;
  /**
   * Shows the request and waits for the user. Always settles: with a denial on timeout, at the end of the run, if no
   * one can answer, or when `withdrawn` settles.
   */
  ask(request: NewRequest, withdrawn?: PromiseLike<unknown>): Promise<Decision>;
  /** Adds to the transcript and the record. */
  record(line: ClientLine): void;
  /** Called after every turn: the engine sends the next queued message, or closes the input. Default `done`. */
  onTurnEnded(continuation?: Continuation): void;
  /** The agent started a turn on its own: messages wait until it ends. */
  onTurnStarted(): void;
  /** This process can do nothing more: its input is closed, and queued messages wait for another process. */
  leave(): void;
  /** The conversation cannot continue; `message` gives the reason and the remedy. The engine stops the agent. */
  fail(message: string): void;
}

/** Writes to a live process; the normalizer reads from it. One per process. */
export interface Dialogue {
  /** `false`: the agent does not exit when its input is closed; the engine stops it. */
  readonly endsWithInput?: boolean;
  /** A stop cancels the turn before it sends signals, so that the agent can report how far it came. */
  readonly cancelsBeforeStop?: boolean;
  /** The agent reads messages during its turn: they are not queued. */
  readonly takesMessagesInTurn?: boolean;
  /** The process has started: sends the greeting and the prompt. */
  begin(): void;
  /** A complete line of the agent's stdout, after the normalizer has read it. */
  handleLine(text: string): void;
  /** The beginning of a line that was too long to read. It may contain a request, which then gets no answer. */
  handleOversizeLine?(head: string): void;
  /** The next message of the user, between turns or, if the agent supports it, during one. */
  sendMessage(text: string): void;
  /** Cancels the active turn; `onTurnEnded` follows. */
  interrupt(): void;
  setModel?(model: string): void;
  setPermissionMode?(mode: string): void;
  /**
   * No more lines will come. A returned promise settles, and never rejects, when everything that was started for the agent
   * has ended.
   */
  end(): void | Promise<void>;
}

/** Made for one process. */
export type DialogueFactory = (host: DialogueHost) => Dialogue;
