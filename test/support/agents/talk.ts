import { randomBytes } from 'node:crypto';
import { adapters } from '../../../src/agents/registry.ts';
import type { Conversation, SessionHandle } from '../../../src/engine/api.ts';
import type { EngineDeps } from '../../../src/engine/engineDeps.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import {
  decisionSchema,
  agentRequestSchema,
  type AgentRequest,
  type Decision,
} from '../../../src/model/agent/request.ts';
import type { ToolUse } from '../../../src/model/transcript/tool.ts';

/** Dependencies of an engine whose user can answer. */
export function talkingDeps(place: {
  readonly store: string;
  readonly env: Readonly<Record<string, string>>;
}): EngineDeps {
  const quiet = (): void => undefined;
  return {
    storeDir: place.store,
    clock: Date.now,
    randomHex: (digits) => randomBytes(digits).toString('hex').slice(0, digits),
    environment: place.env,
    settings: () => ({}),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
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
export async function asked(handle: SessionHandle): Promise<AgentRequest> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const [request] = handle.conversation()?.pending() ?? [];
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
  const all = await handle.read(0, handle.total());
  return all.flatMap((entry) => {
    const request = agentRequestSchema.safeParse(entry.metadata?.['request']);
    if (!request.success) return [];
    const decision = decisionSchema.optional().parse(entry.metadata?.['decision']);
    return [{ entry, request: request.data, decision }];
  });
}

export async function toolsOf(handle: SessionHandle): Promise<ToolUse[]> {
  const all = await handle.read(0, handle.total());
  return all.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
}
