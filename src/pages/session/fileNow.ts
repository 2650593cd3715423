/** A file as it is now. */
export interface FileNow {
  /** `null` if it does not exist. */
  readonly text: string | null;
  /** Time of its last change, in epoch milliseconds. */
  readonly changedAt: number | null;
}
