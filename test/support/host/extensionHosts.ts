import { readdirSync, readFileSync } from 'node:fs';

/** Pids of the extension hosts with this `home`; Linux only. */
export function extensionHosts(home: string): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8');
      const variables = readFileSync(`/proc/${entry}/environ`, 'utf8').split('\0');
      return command.includes('--type=extensionHost') && variables.includes(`HOME=${home}`) ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}
