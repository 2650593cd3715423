import path from 'node:path';
import { verifyRecord, type Verification } from '../record/chain/verify.ts';
import { checkSignature, type Signature } from './signature.ts';

export interface VerificationReport extends Verification {
  /** `null` if the record is not signed. */
  readonly signature: Signature | null;
}

/** Verifies a record's hash chain and its signature. `session`: expected session id. @throws file system errors */
export async function verify(
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
  session?: string,
): Promise<VerificationReport> {
  const signature = await checkSignature(path.dirname(file), environment);
  const requiredHashes = signature?.state === 'good' ? [signature.head.hash] : [];
  const { verdict, ...found } = await verifyRecord(file, { requiredHashes, ...(session !== undefined && { session }) });
  // A line that was signed must still exist.
  const cut = verdict === 'intact' && requiredHashes.length > 0 && found.missing.length > 0;
  return { ...found, verdict: cut ? 'truncated' : verdict, signature };
}
