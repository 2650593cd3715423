import { spawn } from 'node:child_process';
import { findOnPath } from '../programs/searchPath.ts';

/** What a check of a signature says. `key` as the program names it; `bad` and `unchecked` with what it said. */
export type Checked =
  { readonly state: 'good'; readonly key: string } | { readonly state: 'bad' | 'unchecked'; readonly why: string };

export type Environment = Readonly<Record<string, string | undefined>>;

const maxAnswer = 64 * 1024;
const timeoutMs = 30_000;

/** What such a program needs to find its keys; of everything else it knows nothing. */
const passed = [
  'PATH',
  'HOME',
  'USERPROFILE',
  'APPDATA',
  'SYSTEMROOT',
  'SSH_AUTH_SOCK',
  'GNUPGHOME',
  'XDG_RUNTIME_DIR',
] as const;

/**
 * Runs a program that signs or checks. It never asks for anything: it has no terminal, and no input but `input`.
 * @throws Error where it is not there
 */
export async function runSigner(
  program: string,
  args: readonly string[],
  input: Buffer,
  environment: Environment,
): Promise<{ code: number | null; stdout: Buffer; stderr: string }> {
  const names = passed.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]] as const]));
  const env = { ...Object.fromEntries(names), SSH_ASKPASS_REQUIRE: 'never', LC_ALL: 'C' };
  // A bare name would be searched in the current folder first on Windows, which may be a workspace.
  const file = await findOnPath(program, env);
  if (file === undefined) {
    throw new Error(`${program} is not on the PATH. Install it to sign and verify with this type of key.`);
  }
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, detached: true, stdio: 'pipe', timeout: timeoutMs });
    const out: Buffer[] = [];
    let bytes = 0;
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (bytes < maxAnswer) out.push(chunk);
      bytes += chunk.length;
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
