/** Entries and events of sessions. Part of the API of Vitrine for other extensions; see `vitrine.d.ts`. */

/** One event, as the coordinator streams it. */
export type SessionEvent = { readonly session_id: string; readonly timestamp: string } & (
  | { readonly event_type: 'session_start' }
  | ({ readonly event_type: 'pre_tool' } & EventCall)
  | ({
      readonly event_type: 'post_tool';
      readonly tool_output?: unknown;
      readonly error?: string | null | undefined;
    } & EventCall)
  | {
      readonly event_type: 'session_stop';
      readonly exit_code?: number | undefined;
      readonly reason?: string | undefined;
    }
  | {
      readonly event_type: 'message';
      readonly role: 'assistant' | 'user';
      readonly content: readonly { readonly type: 'text'; readonly text: string }[];
      readonly parent_tool_call_id?: string | undefined;
      /** Marks an automatic message. */
      readonly metadata?: SyntheticMetadata | undefined;
    }
);

export interface EventCall {
  readonly tool_name: string;
  readonly tool_input?: Readonly<Record<string, unknown>> | undefined;
  readonly tool_call_id?: string | undefined;
  readonly parent_tool_call_id?: string | undefined;
}

/** One line of a transcript. */
export interface NormalizedEntry {
  /** Position in the session, from 0, counted over all its runs. */
  readonly index: number;
  readonly timestamp: string;
  readonly type: EntryType;
  /** Markdown text. An agent may have written it: do not trust it. */
  readonly content: string;
  readonly metadata?: NormalizedEntryMetadata | undefined;
  /** Who caused a message. */
  readonly origin?: string | undefined;
}

export type EntryType =
  | { readonly kind: 'system_message'; readonly subtype?: string | undefined }
  | { readonly kind: 'user_message' }
  | { readonly kind: 'assistant_message' }
  | { readonly kind: 'thinking'; readonly reasoning?: string | undefined }
  | { readonly kind: 'tool_use'; readonly tool: ToolUse }
  | {
      readonly kind: 'error';
      readonly error: {
        readonly message: string;
        readonly code?: string | undefined;
        readonly stack?: string | undefined;
      };
    };

export interface ToolUse {
  readonly toolName: string;
  readonly callId: string;
  readonly parentCallId?: string | undefined;
  /** What the call does, in terms that all agents share. */
  readonly action: { readonly kind: string };
  /** Input of the call, exactly as the agent printed it. */
  readonly input?: unknown;
  readonly status: 'created' | 'running' | 'success' | 'failed' | 'denied' | 'cancelled';
  readonly result?:
    { readonly text?: string | undefined; readonly data?: unknown; readonly isError?: boolean | undefined } | undefined;
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
}

/**
 * Every entry has it once Vitrine knows the conversation. `null`: the agent does not support the field. Other keys are
 * agent-specific.
 */
export interface NormalizedEntryMetadata extends SyntheticMetadata {
  /** The agent's id of the conversation; pass it to `resume`. */
  readonly sessionId?: string | null | undefined;
  readonly model?: string | null | undefined;
  /** Call id of the subagent that the entry belongs to; absent in the main conversation. */
  readonly parentCallId?: string | undefined;
  /** Citations and trajectory steps of this entry's text. */
  readonly annotations?: readonly Annotation[] | undefined;
  /** For streamed texts and thoughts: when the first part arrived, ISO 8601. `timestamp` is when it was complete. */
  readonly startedAt?: string | undefined;
  readonly [key: string]: unknown;
}

/**
 * Marks an automatic message. Only `synthetic === true` counts: otherwise a person wrote it.
 *
 * @example { synthetic: true, trigger_type: 'task_incomplete', trigger_reason: '2 of 3 to-dos are open' }
 */
export interface SyntheticMetadata {
  readonly synthetic?: boolean | undefined;
  /** Absent for callbacks, which report results of child sessions. */
  readonly trigger_type?: TriggerType | undefined;
  readonly trigger_reason?: string | undefined;
}

/** Reason for an automatic message. */
export type TriggerType = 'check_in' | 'question_unanswered' | 'task_incomplete' | 'waiting_for_decision';

export type Annotation = Citation | Trajectory;

/**
 * Source of a part of the text. The range counts code points of `content`, `start_index` inclusive, `end_index`
 * exclusive; without it, the citation covers the whole text.
 *
 * @example { kind: 'citation', url: 'https://example.com/study', title: 'Study', start_index: 15, end_index: 27 }
 */
export interface Citation {
  readonly kind: 'citation';
  readonly start_index?: number | null | undefined;
  readonly end_index?: number | null | undefined;
  readonly url?: string | null | undefined;
  readonly title?: string | null | undefined;
  /** Description of the source, or a snippet from it. */
  readonly description?: string | null | undefined;
}

/**
 * One step behind the text. The range is as for a citation; without it, the step covers the whole text.
 *
 * @example { kind: 'trajectory', tool_name: 'weather_api', tool_input: { location: 'Oslo' }, tool_output: { temperature: 7 } }
 */
export interface Trajectory {
  readonly kind: 'trajectory';
  /** What the agent thought or said before the step. */
  readonly message?: string | null | undefined;
  readonly tool_name?: string | null | undefined;
  readonly tool_input?: Readonly<Record<string, unknown>> | null | undefined;
  readonly tool_output?: Readonly<Record<string, unknown>> | null | undefined;
  readonly start_index?: number | null | undefined;
  readonly end_index?: number | null | undefined;
}
