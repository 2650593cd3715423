import { spawn } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { headFile, parseHead, type Head } from '../record/head.ts';

/** What the signature is for: one made for something else does not count. */
const namespace = 'vitrine-record';
const maxAnswer = 64 * 1024;
const timeoutMs = 30_000;

/** A signature that was found. `key` as ssh-keygen names it; `bad` with what it said. */
export type Signature =
  | { readonly state: 'good'; readonly key: string; readonly head: Head }
  | { readonly state: 'bad' | 'unchecked'; readonly why: string };

type Environment = Readonly<Record<string, string | undefined>>;

const signedFile = (folder: string): string => path.join(folder, 'record.signed');

/**
 * Signs the head of a record with an SSH key: a private key without passphrase, or a public one whose private half is in the
 * agent of `SSH_AUTH_SOCK`. @throws Error with what ssh-keygen said
 */
export async function signHead(folder: string, key: string, environment: Environment): Promise<void> {
  const head = await readFile(headFile(folder));
  const { code, stdout, stderr } = await keygen(['-Y', 'sign', '-q', '-f', key, '-n', namespace], head, environment);
  if (code !== 0) throw new Error(stderr.trim() === '' ? `ssh-keygen ended with ${code}` : stderr.trim());
  // The signature last: one that is older than what is signed is bad, and is made again with the next run.
  await replace(signedFile(folder), head);
  await replace(`${signedFile(folder)}.sig`, stdout);
}

/** `null` where nothing was signed. */
export async function checkSignature(folder: string, environment: Environment): Promise<Signature | null> {
  const file = signedFile(folder);
  const signed = await readFile(file).catch(() => null);
  if (signed === null) return null;
  const head = parseHead(signed.toString('utf8'));
  if (head === null) return { state: 'bad', why: 'What was signed is not the head of a record.' };
  try {
    const args = ['-Y', 'check-novalidate', '-n', namespace, '-s', `${file}.sig`];
    const { code, stdout, stderr } = await keygen(args, signed, environment);
    const said = stdout.toString('utf8').trim();
    const good = /^Good ".*" signature with (.+)$/m.exec(said);
    if (code === 0 && good !== null) return { state: 'good', key: good[1] ?? '', head };
    return { state: 'bad', why: `${said}\n${stderr}`.trim() };
  } catch (error) {
    return { state: 'unchecked', why: error instanceof Error ? error.message : String(error) };
  }
}

async function replace(file: string, bytes: Buffer): Promise<void> {
  await writeFile(`${file}.next`, bytes, { mode: 0o600 });
  await rename(`${file}.next`, file);
}

/** Never asks for anything: it has no terminal, and no input but what is to be signed. */
function keygen(
  args: readonly string[],
  input: Buffer,
  environment: Environment,
): Promise<{ code: number | null; stdout: Buffer; stderr: string }> {
  const passed = ['PATH', 'HOME', 'SSH_AUTH_SOCK', 'SYSTEMROOT', 'USERPROFILE'].flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = { ...Object.fromEntries(passed), SSH_ASKPASS_REQUIRE: 'never' };
  return new Promise((resolve, reject) => {
    const child = spawn('ssh-keygen', args, { env, detached: true, stdio: 'pipe', timeout: timeoutMs });
    const out: Buffer[] = [];
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (out.length * 16 < maxAnswer) out.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < maxAnswer) stderr += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout: Buffer.concat(out), stderr }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
