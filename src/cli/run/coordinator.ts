import { randomBytes } from 'node:crypto';
import type { LocalDeps } from '../../engine/coordinator/local.ts';
import type { CliContext } from '../command.ts';

export function coordinatorDeps({ now, stderr }: CliContext): LocalDeps {
  const warn = (message: string): void => void stderr.write(`vitrine: ${message}\n`);
  const quiet = (): void => undefined;
  return {
    clock: now,
    monotonic: () => performance.now(),
    randomHex: (digits) => randomBytes(digits).toString('hex').slice(0, digits),
    log: { debug: quiet, info: quiet, warn, error: warn },
  };
}
