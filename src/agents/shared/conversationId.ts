const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Thrown if an agent would take an id for something else (a name, a list position) and resume another conversation. */
export class UnusableConversationIdError extends Error {
  override readonly name = 'UnusableConversationIdError';

  constructor(agent: string, id: string) {
    super(`${agent} cannot resume "${id}": its conversations have UUIDs. Start a new session instead.`);
  }

  static is(error: unknown): error is UnusableConversationIdError {
    return error instanceof UnusableConversationIdError;
  }
}

/** @throws UnusableConversationIdError */
export function requireUuid(agent: string, id: string): string {
  if (!uuid.test(id)) throw new UnusableConversationIdError(agent, id);
  return id;
}
