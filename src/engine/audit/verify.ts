import path from 'node:path';
import { verifyRecord, type Verification } from '../record/chain/verify.ts';
import { checkSignature, type Signature } from './signature.ts';

export interface Verified extends Verification {
  /** `null` where nothing was signed. */
  readonly signature: Signature | null;
}

/** The chain of a record, and the signature beside it. `session`: whose record it must be. @throws file system errors */
export async function verify(
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
  session?: string,
): Promise<Verified> {
  const signature = await checkSignature(path.dirname(file), environment);
  const named = signature?.state === 'good' ? [signature.head.hash] : [];
  const { verdict, ...found } = await verifyRecord(file, { named, ...(session !== undefined && { session }) });
  // What was signed once must still be there.
  const cut = verdict === 'intact' && named.length > 0 && found.missing.length > 0;
  return { ...found, verdict: cut ? 'truncated' : verdict, signature };
}
