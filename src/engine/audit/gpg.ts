import { type CheckResult, runSigner, type Environment } from './signingProgram.ts';

const quiet = ['--batch', '--no-tty', '--no-auto-key-retrieve'];

/** `key`: id or fingerprint; without a passphrase, or cached by gpg-agent. @throws Error with gpg's output */
export async function gpgSign(data: Buffer, key: string, environment: Environment): Promise<Buffer> {
  // A missing passphrase is an error; gpg must not open a dialog.
  const args = [...quiet, '--pinentry-mode', 'error', '--local-user', key, '--armor', '--detach-sign'];
  const { code, stdout, stderr } = await runSigner('gpg', args, data, environment);
  if (code !== 0 || stdout.length === 0)
    throw new Error(stderr.trim() === '' ? `gpg exited with code ${code}` : stderr.trim());
  return stdout;
}

/** @throws Error if gpg is not installed */
export async function gpgCheck(data: Buffer, signature: string, environment: Environment): Promise<CheckResult> {
  const args = [...quiet, '--status-fd', '1', '--verify', signature, '-'];
  const { stdout, stderr } = await runSigner('gpg', args, data, environment);
  const status = new Map(
    [...stdout.toString('utf8').matchAll(/^\[GNUPG:\] ([A-Z_]+) ?(.*)$/gm)].map(([, word = '', rest = '']) => [
      word,
      rest,
    ]),
  );
  const [fingerprint = ''] = status.get('VALIDSIG')?.split(' ') ?? [];
  const named = status.get('GOODSIG') ?? status.get('EXPKEYSIG');
  if (fingerprint !== '' && named !== undefined) {
    const expired = status.has('EXPKEYSIG') ? ', which has expired' : '';
    return { state: 'good', key: `${named.replace(/^\S+ /, '')} ${fingerprint}${expired}` };
  }
  if (status.has('NO_PUBKEY')) {
    return { state: 'unchecked', why: `The key ${status.get('NO_PUBKEY')} is not in this user’s keyring.` };
  }
  return { state: 'bad', why: stderr.trim() };
}
