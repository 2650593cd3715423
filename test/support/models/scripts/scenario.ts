/** What a scripted model answers. Plain data, so that a story reads from top to bottom. */

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  /** `input`: a text for tools that take one (`apply_patch` of OpenAI's models). */
  | { readonly type: 'tool_use'; readonly name: string; readonly input: object | string };

/** Token counts by the names of the Messages API. */
export interface Usage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
  /** Part of the output that was thought; told by the APIs that count it. */
  readonly thinking_tokens?: number;
}

/** How fast an answer comes, all in milliseconds; `chunk` is the size of one delta in characters. */
export interface Pace {
  readonly first: number;
  readonly between: number;
  readonly chunk: number;
  /** Nothing comes before this does. */
  readonly after?: Promise<void>;
}

export interface Answer {
  readonly blocks: readonly Block[];
  readonly usage?: Partial<Usage>;
  /** Default: `tool_use` when there is a tool call, else `end_turn`. */
  readonly stopReason?: string;
  readonly pace?: Partial<Pace>;
  /** Hangs up after the blocks, in place of the end. */
  readonly cut?: true;
  /** With `cut`: so often, and then the step has ended as if it had never been. */
  readonly times?: number;
}

/** HTTP status and the API's own error type (`invalid_request_error`, `RESOURCE_EXHAUSTED`, …). */
export interface ApiError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/** What the model does at one step of a scenario; the last step is repeated when the agent asks on. */
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
