/** Answers of a scripted model, as plain data. */

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  /** `input`: a string for tools that take one (`apply_patch` of OpenAI models). */
  | { readonly type: 'tool_use'; readonly name: string; readonly input: object | string };

/** Token counts in the fields of the Messages API. */
export interface Usage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
  /** Thinking tokens within the output, for APIs that report them. */
  readonly thinking_tokens?: number;
}

/** Speed of an answer in milliseconds; `chunk`: characters per delta. */
export interface Pace {
  readonly first: number;
  readonly between: number;
  readonly chunk: number;
  /** Delays the answer until this resolves. */
  readonly after?: Promise<void>;
}

export interface Answer {
  readonly blocks: readonly Block[];
  readonly usage?: Partial<Usage>;
  /** Default: `tool_use` if there is a tool call, else `end_turn`. */
  readonly stopReason?: string;
  readonly pace?: Partial<Pace>;
  /** Disconnects after the blocks. */
  readonly cut?: true;
  /** With `cut`: number of times; after that, the step is skipped. */
  readonly times?: number;
}

/** HTTP status and the API's error type (`invalid_request_error`, `RESOURCE_EXHAUSTED`, …). */
export interface ApiError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/**
 * One step of a scenario; the last one is repeated if the agent continues. After a command that a test stops, the model
 * hangs: the signal may end the command before the agent, which could still get an answer and finish.
 */
export type Step =
  | Answer
  /** `times`: how often the step applies; absent: always. */
  | { readonly error: ApiError; readonly times?: number }
  /** Never answers. */
  | { readonly hang: true };

export type Scenarios = Readonly<Record<string, readonly Step[]>>;

export const text = (value: string): Block => ({ type: 'text', text: value });
export const thinking = (value: string): Block => ({ type: 'thinking', thinking: value });
export const tool = (name: string, input: object | string): Block => ({ type: 'tool_use', name, input });
