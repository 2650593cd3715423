/** An answer that the user has begun. Lists are in the order of the questions. */
export interface AnswerDraft {
  /** Reason for a denial, or changes to a plan. */
  readonly reason: string;
  readonly picks: readonly (readonly string[])[];
  readonly other: readonly string[];
  /** Whether a long subject is shown completely. */
  readonly whole: boolean;
}
