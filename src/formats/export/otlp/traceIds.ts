/**
 * OpenTelemetry ids of a session, in hexadecimal. They are deterministic, so that a repeated export overwrites the
 * first, and the agent's own spans find their parents.
 */
export class TraceIds {
  readonly trace: string;
  readonly #sha256: (text: string) => string;

  constructor(sessionId: string, sha256: (text: string) => string) {
    this.#sha256 = sha256;
    this.trace = sha256(sessionId).slice(0, 32);
  }

  run(runId: string): string {
    return this.#sha256(`${this.trace} ${runId}`).slice(0, 16);
  }

  /** Some agents restart the numbering of call ids in each run. */
  call(runId: string, callId: string): string {
    return this.#sha256(`${this.trace} ${runId} call ${callId}`).slice(0, 16);
  }

  /** `TRACEPARENT` (W3C Trace Context) that makes a program's spans children of the run's span. */
  parentOf(runId: string): string {
    return `00-${this.trace}-${this.run(runId)}-01`;
  }
}
