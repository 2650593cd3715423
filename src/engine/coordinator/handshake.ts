import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export const newNonce = (): string => randomBytes(16).toString('hex');

/** Shows that the token is known without saying it. */
export function proofOf(token: string, side: 'client' | 'server', nonce: string): string {
  return createHmac('sha256', token).update(`${side}:${nonce}`).digest('hex');
}

export function isProof(given: string, token: string, side: 'client' | 'server', nonce: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(proofOf(token, side, nonce))];
  return a.length === b.length && timingSafeEqual(a, b);
}
