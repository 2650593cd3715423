/** A limit of the user's plan, as the agent reported it: in `planLimits` of an entry's metadata. */
export interface PlanLimit {
  /** Its window, such as `5 h`. */
  readonly name: string;
  readonly usedPercent?: number;
  /** ISO 8601. */
  readonly resetsAt?: string;
}
