import { createHash } from 'node:crypto';
import type { ObservedAgent } from '../../model/session/observed.ts';

/** Vitrine's id of another program's session, derived from agent and native id. */
export function observedId(agent: ObservedAgent, nativeId: string): string {
  return `ses_${createHash('sha256').update(`${agent}\n${nativeId}`).digest('hex').slice(0, 12)}`;
}
