import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

export type Confirmation = { readonly ok: true } | { readonly ok: false; readonly why: string };

const refusal =
  'This client cannot ask its user. Start "vitrine mcp" with --allow-start to let it start agents without asking.';

/** Asks the person at the client before an agent starts. `allowed`: they said in advance that no one needs to be asked. */
export async function confirmStart({ server }: McpServer, message: string, allowed: boolean): Promise<Confirmation> {
  if (server.getClientCapabilities()?.elicitation === undefined)
    return allowed ? { ok: true } : { ok: false, why: refusal };
  const { action } = await server.elicitInput({ message, requestedSchema: { type: 'object', properties: {} } });
  return action === 'accept' ? { ok: true } : { ok: false, why: 'The user did not allow it.' };
}
