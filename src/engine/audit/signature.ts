import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { headFile, parseHead, type Head } from '../record/chain/chainHead.ts';
import { gpgCheck, gpgSign } from './gpg.ts';
import { sshCheck, sshSign } from './ssh.ts';
import type { Environment, CheckResult } from './signingProgram.ts';

/** A signature and what it covers. */
export type Signature =
  | { readonly state: 'good'; readonly key: string; readonly head: Head }
  | Exclude<CheckResult, { readonly state: 'good' }>;

type Kind = 'ssh' | 'gpg';

const makers = {
  ssh: { ending: 'sig', sign: sshSign, check: sshCheck },
  gpg: { ending: 'asc', sign: gpgSign, check: gpgCheck },
} as const satisfies Record<Kind, object>;

const signedFile = (folder: string): string => path.join(folder, 'record.signed');
const signatureFile = (folder: string, kind: Kind): string => `${signedFile(folder)}.${makers[kind].ending}`;

/** An absolute path is an SSH key, hexadecimal digits are a GPG key id or fingerprint, anything else is `null`. */
export function keyKind(key: string): Kind | null {
  if (path.isAbsolute(key)) return 'ssh';
  return /^(?:0x)?(?:[0-9a-f]{16}|[0-9a-f]{40}|[0-9a-f]{64})$/i.test(key.replaceAll(' ', '')) ? 'gpg' : null;
}

/** Signs the head of a record without prompting. @throws Error with the reason */
export async function signHead(folder: string, key: string, environment: Environment): Promise<void> {
  const kind = keyKind(key);
  if (kind === null) throw new Error('Neither the absolute path of an SSH key nor the fingerprint of a GPG key.');
  const head = await readFile(headFile(folder));
  const signature = await makers[kind].sign(head, key.replaceAll(kind === 'gpg' ? ' ' : '\0', ''), environment);
  // Written last: a signature older than the signed file is invalid, and the next run signs again.
  await replace(signedFile(folder), head);
  await replace(signatureFile(folder, kind), signature);
  await rm(signatureFile(folder, kind === 'gpg' ? 'ssh' : 'gpg'), { force: true });
}

/** `null` if the record is not signed. */
export async function checkSignature(folder: string, environment: Environment): Promise<Signature | null> {
  const signed = await readFile(signedFile(folder)).catch(() => null);
  if (signed === null) return null;
  const head = parseHead(signed.toString('utf8'));
  if (head === null) return { state: 'bad', why: 'The signed data is not the head of a record.' };
  const kind = (await fileExists(signatureFile(folder, 'gpg'))) ? 'gpg' : 'ssh';
  try {
    const checked = await makers[kind].check(signed, signatureFile(folder, kind), environment);
    return checked.state === 'good' ? { ...checked, head } : checked;
  } catch (error) {
    return { state: 'unchecked', why: error instanceof Error ? error.message : String(error) };
  }
}

async function fileExists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null)) !== null;
}

async function replace(file: string, bytes: Buffer): Promise<void> {
  await writeFile(`${file}.next`, bytes, { mode: 0o600 });
  await rename(`${file}.next`, file);
}
