import { createHash, randomBytes } from 'node:crypto';

type RandomHex = (digits: number) => string;

export const randomHex: RandomHex = (digits) => randomBytes(digits).toString('hex').slice(0, digits);

export function sessionId(randomHex: RandomHex): string {
  return `ses_${randomHex(12)}`;
}

export function runId(randomHex: RandomHex): string {
  return `run_${randomHex(12)}`;
}

/** Derives the runner id from its inputs, so that it is the same after a crash. `place` numbers concurrent runners. */
export function runnerId(hostname: string, projectDir: string, executorType: string, place = 0): string {
  const identity = [hostname, projectDir, executorType, ...(place === 0 ? [] : [String(place)])];
  const hash = createHash('sha256').update(identity.join('\n'));
  return `lnch_${hash.digest('hex').slice(0, 12)}`;
}

/** A version 4 UUID, for agents that accept a client-chosen conversation id. */
export function uuid(randomHex: RandomHex): string {
  const hex = randomHex(30);
  const variant = '89ab'.charAt(parseInt(hex.charAt(15), 16) % 4);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(12, 15)}`,
    `${variant}${hex.slice(15, 18)}`,
    hex.slice(18, 30),
  ].join('-');
}
