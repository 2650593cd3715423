/** Error codes of JSON-RPC and of the protocol. */
const codes = { invalid: -32602, failed: -32603, missing: -32002 } as const;

/** Vitrine refuses a request of the agent. The message goes to the agent and into the transcript. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: number;
  readonly data: { readonly uri: string } | undefined;

  constructor(why: keyof typeof codes, message: string, uri?: string) {
    super(message);
    this.code = codes[why];
    this.data = uri === undefined ? undefined : { uri };
  }

  static is(error: unknown): error is Refusal {
    return error instanceof Refusal;
  }
}
