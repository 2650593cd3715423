const methods = [
  'hello',
  'status',
  'running',
  'answer',
  'say',
  'stop',
  'read',
  'follow',
  'unfollow',
  'start',
  'resume',
];
const keys = ['session_id', 'text', 'how', 'from', 'to', 'subscription', 'context', 'request', 'kill'];
const values: readonly unknown[] = [null, true, -1, 1e308, '', 'ses_0123456789ab', 'x'.repeat(5000), [], {}, [[[]]]];

/** Messages to the daemon with random fields, mostly wrong ones; the same for the same seed. */
export class FuzzedFrames {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  random(below: number): number {
    this.#state = (this.#state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((this.#state / 2_147_483_648) * below);
  }

  message(): string {
    const params: Record<string, unknown> = {};
    for (const key of keys) if (this.random(2) === 0) params[key] = this.#anyOf(values);
    const fields: Record<string, unknown> = {
      jsonrpc: '2.0',
      params: this.random(4) === 0 ? this.#anyOf(values) : params,
    };
    if (this.random(5) > 0) fields['method'] = this.random(8) === 0 ? this.#anyOf(values) : this.#anyOf(methods);
    if (this.random(3) > 0) fields['id'] = this.random(6) === 0 ? this.#anyOf(values) : this.random(50);
    if (this.random(12) === 0) fields['result'] = this.#anyOf(values);
    return JSON.stringify(fields);
  }

  /** A message with changed bytes, mostly no JSON any more. */
  damaged(): Buffer {
    const bytes = Buffer.from(this.message());
    for (let change = this.random(4); change >= 0; change -= 1) bytes[this.random(bytes.length)] = this.random(256);
    return bytes;
  }

  #anyOf<T>(list: readonly T[]): T | undefined {
    return list[this.random(list.length)];
  }
}
