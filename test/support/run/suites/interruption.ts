import { endWithParent } from '../../processes/endings.mjs';
import { endSteps } from './step.ts';

/** On a signal, or if the parent process ends: ends all steps and prints what was interrupted. */
export function stopOnSignals(): void {
  let stopping = false;
  const stop = (reason: string): void => {
    if (stopping) return;
    stopping = true;
    void endSteps().then((names) => {
      const during = names.length === 0 ? '' : ` while running ${names.join(', ')}`;
      console.error(`\nFAILED: interrupted by ${reason}${during}.`);
      process.exit(130);
    });
  };
  process.on('SIGINT', () => stop('Ctrl-C'));
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
  endWithParent(() => stop('the end of its parent process'));
}
