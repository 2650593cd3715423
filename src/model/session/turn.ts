/** A prompt and everything that the agent did about it. Times in milliseconds and ISO 8601. */
export interface Turn {
  readonly runId: string;
  /** Index of the prompt's entry. */
  readonly firstIndex: number;
  readonly status: 'running' | 'completed' | 'failed' | 'stopped' | 'interrupted';
  readonly startedAt: string;
  readonly durationMs: number | null;
  /** Tool calls of the main conversation. */
  readonly steps: number;
  /** Tool calls of subagents; absent: none, or not counted by an earlier version. */
  readonly subagentSteps?: number;
  readonly usd: number | null;
  readonly costProvenance: 'reported' | 'estimated' | 'unknown';
}
