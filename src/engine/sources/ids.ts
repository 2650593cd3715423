import { createHash } from 'node:crypto';
import type { ObservedAgent } from '../../model/session/observed.ts';

/** The id by which Vitrine knows a session of another program: the same one wherever and whenever it is listed. */
export function observedId(agent: ObservedAgent, nativeId: string): string {
  return `ses_${createHash('sha256').update(`${agent}\n${nativeId}`).digest('hex').slice(0, 12)}`;
}
