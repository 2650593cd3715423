/**
 * Ids of OpenTelemetry for a session, as hexadecimal digits: always the same, so that an export that is repeated overwrites
 * itself and what an agent reports on its own finds its place.
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

  /** Some agents count the ids of calls anew in each run. */
  call(runId: string, callId: string): string {
    return this.#sha256(`${this.trace} ${runId} call ${callId}`).slice(0, 16);
  }

  /** `TRACEPARENT` of W3C Trace Context, by which a program's own spans stand below those of the run that started it. */
  parentOf(runId: string): string {
    return `00-${this.trace}-${this.run(runId)}-01`;
  }
}
