import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Database } from '../database/connection.ts';
import type { RecordExtent } from './sharedSessions.ts';

/** The key with which a machine signs what it shares. */
export interface SigningKey {
  readonly private: KeyObject;
  /** SPKI in DER, in base64. */
  readonly public: string;
}

/** SHA-256 of a public key. */
export function fingerprint(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex');
}

/** Makes the key if there is none. Only the user can read the file. @throws file system errors, or if it has no key */
export async function readSigningKey(file: string): Promise<SigningKey> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (text !== null) return toSigningKey(createPrivateKey(text));
  const { privateKey } = generateKeyPairSync('ed25519');
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return toSigningKey(privateKey);
}

function toSigningKey(key: KeyObject): SigningKey {
  return { private: key, public: createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64') };
}

/** What is signed: which session has how many lines, and the hash of the last, which covers all before it. */
const statement = (id: string, { lines, head }: RecordExtent): Buffer =>
  Buffer.from(`vitrine head\n${id}\n${lines}\n${head}`);

export function signHead(key: SigningKey, id: string, at: RecordExtent): string {
  return sign(null, statement(id, at), key.private).toString('base64');
}

/** Whether the key signed this end of the record. */
export function isSigned(publicKey: string, signature: string, id: string, at: RecordExtent): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), type: 'spki', format: 'der' });
    return verify(null, statement(id, at), key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

/** @throws errors of the database, SQLSTATE `VT003`: the record there ends with another line */
export async function storeSignature(database: Database, key: SigningKey, id: string, at: RecordExtent): Promise<void> {
  await database.query('SELECT vitrine.sign_head($1, $2, $3, $4, $5)', [
    ...[id, at.lines, at.head, key.public, signHead(key, id, at)],
  ]);
}
