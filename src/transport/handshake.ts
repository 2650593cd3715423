import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import * as z from 'zod';
import { type JsonLineReader, sendLine } from './jsonLines.ts';

/**
 * Both sides prove that they know the token without sending it: the server sends a nonce, the client answers with its
 * proof and a nonce of its own, the server answers with its proof.
 */
const nonceSchema = z.string().regex(/^[0-9a-f]{32}$/);
const challengeSchema = z.object({ nonce: nonceSchema });
const clientProofSchema = z.object({ proof: z.string().max(128), nonce: nonceSchema });
const serverProofSchema = z.object({ proof: z.string().max(128) });

/** Whether the other side is a client that knows the token. */
export async function acceptClient(socket: Socket, reader: JsonLineReader, token: string): Promise<boolean> {
  const nonce = newNonce();
  await sendLine(socket, { nonce });
  const answer = clientProofSchema.safeParse(await reader.next());
  if (!answer.success || !isProof(answer.data.proof, token, 'client', nonce)) return false;
  await sendLine(socket, { proof: computeProof(token, 'server', answer.data.nonce) });
  return true;
}

/** Whether the other side is the server that knows the token. */
export async function joinServer(socket: Socket, reader: JsonLineReader, token: string): Promise<boolean> {
  const challenge = challengeSchema.safeParse(await reader.next());
  if (!challenge.success) return false;
  const nonce = newNonce();
  await sendLine(socket, { proof: computeProof(token, 'client', challenge.data.nonce), nonce });
  const answer = serverProofSchema.safeParse(await reader.next());
  return answer.success && isProof(answer.data.proof, token, 'server', nonce);
}

const newNonce = (): string => randomBytes(16).toString('hex');

function computeProof(token: string, side: 'client' | 'server', nonce: string): string {
  return createHmac('sha256', token).update(`${side}:${nonce}`).digest('hex');
}

function isProof(proof: string, token: string, side: 'client' | 'server', nonce: string): boolean {
  const [a, b] = [Buffer.from(proof), Buffer.from(computeProof(token, side, nonce))];
  return a.length === b.length && timingSafeEqual(a, b);
}
