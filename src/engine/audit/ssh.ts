import { type CheckResult, runSigner, type Environment } from './signingProgram.ts';

/** SSH signature namespace: signatures for other purposes are not accepted. */
const namespace = 'vitrine-record';

/**
 * `key`: a private key without a passphrase, or a public key whose private key is in the agent of `SSH_AUTH_SOCK`.
 * @throws Error with ssh-keygen's output
 */
export async function sshSign(data: Buffer, key: string, environment: Environment): Promise<Buffer> {
  const args = ['-Y', 'sign', '-q', '-f', key, '-n', namespace];
  const { code, stdout, stderr } = await runSigner('ssh-keygen', args, data, environment);
  if (code !== 0) throw new Error(stderr.trim() === '' ? `ssh-keygen exited with code ${code}` : stderr.trim());
  return stdout;
}

/** @throws Error if ssh-keygen is not installed */
export async function sshCheck(data: Buffer, signature: string, environment: Environment): Promise<CheckResult> {
  const args = ['-Y', 'check-novalidate', '-n', namespace, '-s', signature];
  const { code, stdout, stderr } = await runSigner('ssh-keygen', args, data, environment);
  const printed = stdout.toString('utf8').trim();
  const good = /^Good ".*" signature with (.+)$/m.exec(printed);
  if (code === 0 && good !== null) return { state: 'good', key: good[1] ?? '' };
  return { state: 'bad', why: `${printed}\n${stderr}`.trim() };
}
