/** Types of the published OpenAPI of the Agent Communication Protocol (0.2). */
export interface MessagePart {
  readonly name?: string;
  readonly content_type?: string;
  readonly content?: string;
  readonly content_encoding?: 'plain' | 'base64';
  readonly content_url?: string;
  readonly metadata?: object;
}

export interface Message {
  readonly role: string;
  readonly parts: MessagePart[];
  created_at?: string;
  completed_at?: string | null;
}

export interface ErrorModel {
  readonly code: 'server_error' | 'invalid_input' | 'not_found';
  readonly message: string;
}

export interface Run {
  readonly run_id: string;
  readonly agent_name: string;
  readonly session_id: string;
  status: 'created' | 'in-progress' | 'awaiting' | 'cancelling' | 'cancelled' | 'completed' | 'failed';
  await_request: { readonly type: 'message'; readonly message: Message } | null;
  readonly output: Message[];
  error: ErrorModel | null;
  readonly created_at: string;
  finished_at: string | null;
}

export type Event =
  | { readonly type: 'message.created' | 'message.completed'; readonly message: Message }
  | { readonly type: 'message.part'; readonly part: MessagePart }
  | { readonly type: 'generic'; readonly generic: object }
  | { readonly type: 'error'; readonly error: ErrorModel }
  | { readonly type: `run.${Run['status']}`; readonly run: Run };

/** One step of a scripted agent. */
export type Step =
  | { readonly part: MessagePart }
  | { readonly message: readonly MessagePart[] }
  | { readonly generic: object }
  /** Awaits an answer; `{answer}` in later steps is replaced with it. */
  | { readonly await: string }
  | { readonly fail: ErrorModel }
  /** Continues only when the run is cancelled. */
  | { readonly hang: true }
  /** Closes the connection. The run then stops or continues unheard. */
  | { readonly drop: true }
  | { readonly lose: true }
  /** Sent verbatim instead of an event. */
  | { readonly raw: string };

export interface Scenario {
  readonly description: string;
  readonly steps: readonly Step[];
}
