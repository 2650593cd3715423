import type { RecordedRun } from '../formats/record.ts';
import type { ResumeRequest } from './api.ts';
import type { ReplacedIds } from './runPlan.ts';

/** A run that is about to begin. */
export interface NewRun {
  readonly type: RecordedRun['type'];
  readonly request: Pick<
    ResumeRequest,
    | 'prompt'
    | 'options'
    | 'blueprint'
    | 'limits'
    | 'queued'
    | 'origin'
    | 'reason'
    | 'recall'
    | 'trigger'
    | 'interactive'
  >;
  /** Ids to resume by; `null` begins a new conversation. */
  readonly attempts: readonly (string | null)[];
  /** Ids of the conversation that this one replaces. */
  readonly replacedIds?: ReplacedIds;
  /** Put before the prompt, for the agent alone. */
  readonly prefix?: string;
  /** Aborted: it must not begin. */
  readonly signal?: AbortSignal | undefined;
}
