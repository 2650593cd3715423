import { spawn } from 'node:child_process';
import { findOnPath } from '../programs/searchPath.ts';

/** Result of a signature check. `key`: as the program names it. `bad` and `unchecked` include the program's output. */
export type CheckResult =
  { readonly state: 'good'; readonly key: string } | { readonly state: 'bad' | 'unchecked'; readonly why: string };

export type Environment = Readonly<Record<string, string | undefined>>;

const maxAnswer = 64 * 1024;
const timeoutMs = 30_000;

/** Variables that the program needs to find its keys; it gets no others. */
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

/** Runs a signing program without a terminal, with `input` as its only input. @throws Error if it is not installed */
export async function runSigner(
  program: string,
  args: readonly string[],
  input: Buffer,
  environment: Environment,
): Promise<{ code: number | null; stdout: Buffer; stderr: string }> {
  const names = passed.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]] as const]));
  const env = { ...Object.fromEntries(names), SSH_ASKPASS_REQUIRE: 'never', LC_ALL: 'C' };
  // On Windows, a bare name would be searched in the current folder first, which may be a workspace.
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
