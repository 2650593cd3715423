import path from 'node:path';

type Variables = Readonly<Record<string, string | undefined>>;

const programs = {
  powershell: 'System32\\WindowsPowerShell\\v1.0\\powershell.exe',
  taskkill: 'System32\\taskkill.exe',
  wmic: 'System32\\wbem\\WMIC.exe',
} as const;

/**
 * Full path of a Windows program. A bare name would be searched in the current folder first, which may be an untrusted
 * workspace.
 */
export function windowsProgram(name: keyof typeof programs, env: Variables = process.env): string {
  const root = env['SystemRoot'] ?? env['SYSTEMROOT'] ?? env['windir'];
  // A root without a drive is relative to the current drive.
  const usable = root !== undefined && /^[a-z]:[\\/]/i.test(root);
  return path.win32.join(usable ? root : 'C:\\Windows', programs[name]);
}
