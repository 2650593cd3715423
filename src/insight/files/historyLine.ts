/** A line of a file, as far as the record shows. */
export interface HistoryLine {
  /** `null`: not recorded. */
  readonly text: string | null;
  /** The last step (entry index) that wrote it; `null` if it existed before or came from outside. */
  readonly by: number | null;
  /** The last step that read it in this form. */
  readonly read: number | null;
}
