import type { CountedUsage, StoreFacts, StoreRequest } from '../../model/session/observed.ts';
import { totalTokens } from '../../model/usage/usage.ts';

/** A session to count. Agents are counted separately, because keys are unique only within one agent. */
export interface SessionCounts {
  readonly agent: string;
  readonly facts: StoreFacts;
}

/** What belongs to one session, without copies. */
export interface SessionShare {
  readonly requests: readonly StoreRequest[];
  /** Requests in its files that another session made. */
  readonly inherited: readonly StoreRequest[];
  readonly prompts: number;
  readonly toolCalls: number;
  /** Native id of the session that the store names, or of the last copied request. */
  readonly parent: string | null;
}

/**
 * Assigns each request, prompt and call to one session: the one that the record names, if listed, else the oldest one that
 * has it.
 */
export function deduplicate(sessions: readonly SessionCounts[]): SessionShare[] {
  const shares: SessionShare[] = [];
  for (const agent of new Set(sessions.map((session) => session.agent))) {
    const own = [...sessions.keys()].filter((at) => sessions[at]?.agent === agent);
    const counted = countAgent(own.flatMap((at) => sessions[at] ?? []));
    for (const [place, at] of own.entries()) {
      const share = counted[place];
      if (share !== undefined) shares[at] = share;
    }
  }
  return shares;
}

function countAgent(sessions: readonly SessionCounts[]): SessionShare[] {
  const order = [...sessions.keys()].sort((a, b) => compare(sessions[a], sessions[b]));
  const known = new Set(sessions.flatMap(({ facts }) => facts.nativeIds));
  const requests = new Map<string, { readonly session: number; readonly request: StoreRequest }>();
  const [prompts, calls] = [new Map<string, number>(), new Map<string, number>()];
  for (const isFirst of [true, false]) {
    for (const session of order) {
      const facts = sessions[session]?.facts;
      if (facts === undefined) continue;
      // Copies of a listed session's requests belong to that session.
      const waits = ({ owner }: CountedUsage) =>
        isFirst && owner !== undefined && !facts.nativeIds.includes(owner) && known.has(owner);
      for (const request of facts.requests) {
        if (!waits(request)) keepLargest(requests, request.key, session, request);
      }
      for (const prompt of facts.prompts) if (!waits(prompt)) addFirstOwner(prompts, prompt.key, session);
      for (const call of facts.toolCalls) if (!waits(call)) addFirstOwner(calls, call.key, session);
    }
  }
  return sessions.map(({ facts }, session) => {
    const owned = (request: StoreRequest) => requests.get(request.key);
    const own = facts.requests.flatMap((request) => {
      const found = owned(request);
      return found?.session === session ? [found.request] : [];
    });
    const inherited = facts.requests.filter((request) => owned(request)?.session !== session);
    const latest = inherited.at(-1);
    const from = latest === undefined ? undefined : owned(latest)?.session;
    return {
      requests: own,
      inherited,
      prompts: facts.prompts.filter(({ key, answer }) => {
        // A copy under a new id.
        const answered = answer === undefined ? undefined : requests.get(answer)?.session;
        return prompts.get(key) === session && (answered ?? session) === session;
      }).length,
      toolCalls: facts.toolCalls.filter(({ key }) => calls.get(key) === session).length,
      parent: facts.parent?.id ?? (from === undefined ? null : (sessions[from]?.facts.nativeIds.at(-1) ?? null)),
    };
  });
}

/** Oldest first; a session comes before its forks. */
function compare(a: SessionCounts | undefined, b: SessionCounts | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return (
    time(a.facts.startedAt) - time(b.facts.startedAt) ||
    Number(a.facts.parent !== null) - Number(b.facts.parent !== null) ||
    time(lastActivityOf(a.facts)) - time(lastActivityOf(b.facts)) ||
    (a.facts.nativeIds[0] ?? '').localeCompare(b.facts.nativeIds[0] ?? '')
  );
}

function lastActivityOf({ lastActivityAt }: StoreFacts): string | null {
  return lastActivityAt;
}

function time(at: string | null): number {
  const parsed = at === null ? Number.NaN : Date.parse(at);
  return Number.isNaN(parsed) ? Number.MAX_SAFE_INTEGER : parsed;
}

/** Of differing copies, the one with the most tokens counts. */
function keepLargest(
  requests: Map<string, { readonly session: number; readonly request: StoreRequest }>,
  key: string,
  session: number,
  request: StoreRequest,
): void {
  const before = requests.get(key);
  if (before === undefined) requests.set(key, { session, request });
  else if (totalTokens(request.usage) > totalTokens(before.request.usage)) {
    requests.set(key, { session: before.session, request });
  }
}

function addFirstOwner(owners: Map<string, number>, key: string, session: number): void {
  if (!owners.has(key)) owners.set(key, session);
}
