import { adapters } from '../../../src/agents/registry.ts';
import type { Conversation, SessionHandle } from '../../../src/engine/api.ts';
import type { EngineDeps } from '../../../src/engine/engineDeps.ts';
import { randomHex } from '../../../src/engine/ids.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import {
  decisionSchema,
  agentRequestSchema,
  type AgentRequest,
  type Decision,
} from '../../../src/model/agent/request.ts';
import { silentLog } from '../silentLog.ts';

/** Dependencies of an engine whose user can answer. */
export function talkingDeps(place: {
  readonly store: string;
  readonly env: Readonly<Record<string, string>>;
}): EngineDeps {
  return {
    storeDir: place.store,
    clock: Date.now,
    randomHex,
    environment: place.env,
    settings: () => ({}),
    log: silentLog,
    demoDir: '',
    adapters,
    interactive: true,
  };
}

/** The conversation of the active run. @throws if there is none */
export function talk(handle: SessionHandle): Conversation {
  const conversation = handle.conversation();
  if (conversation === null) throw new Error('there is nobody to talk with');
  return conversation;
}

/** Resolves to the oldest pending request. @throws if the run ends without one */
export async function waitForRequest(handle: SessionHandle): Promise<AgentRequest> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const [request] = handle.conversation()?.pendingRequests() ?? [];
      if (request === undefined) return;
      registration.dispose();
      resolve(request);
    };
    const registration = handle.onConversation(look);
    void handle.done.then((result) => reject(new Error(`the run ended unasked: ${JSON.stringify(result)}`)));
    look();
  });
}

export interface ShownRequest {
  readonly entry: NormalizedEntry;
  readonly request: AgentRequest;
  readonly decision: Decision | undefined;
}

/** The entries that show requests. */
export async function requests(handle: SessionHandle): Promise<ShownRequest[]> {
  const all = await handle.read(0, handle.entryCount());
  return all.flatMap((entry) => {
    const request = agentRequestSchema.safeParse(entry.metadata?.['request']);
    if (!request.success) return [];
    const decision = decisionSchema.optional().parse(entry.metadata?.['decision']);
    return [{ entry, request: request.data, decision }];
  });
}
