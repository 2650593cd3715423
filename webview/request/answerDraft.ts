/** What a person has begun to answer. Questions go by their place. */
export interface AnswerDraft {
  /** Why not, or what to change in a plan. */
  readonly reason: string;
  readonly picks: readonly (readonly string[])[];
  readonly other: readonly string[];
  /** All of something long is shown. */
  readonly whole: boolean;
}
