/** A line of a file as far as the record tells. */
export interface HistoryLine {
  /** `null`: the record does not say what stands there. */
  readonly text: string | null;
  /** The step (entry index) that wrote it last; `null` where it was there before, or came from outside. */
  readonly by: number | null;
  /** The step that read it last as it stands here. */
  readonly read: number | null;
}
