import { parseAmount, field } from '../../shared/guards.ts';
import type { PlanLimit } from '../../../model/usage/planLimit.ts';
import { planLimit, resetText } from '../../shared/planLimits.ts';
import { englishNumbers } from '../../../text/numberFormat.ts';

/** The limits of the user's plan, one per line; `undefined` if Codex reports none. */
export function limitsText(limits: unknown): string | undefined {
  const windows = ['primary', 'secondary'].flatMap((name) => windowText(field(limits, name)) ?? []);
  return windows.length === 0 ? undefined : ['Plan limits', ...windows.map((window) => `- ${window}`)].join('\n');
}

/** The same, for the metadata of an entry. */
export function limitsOf(limits: unknown): PlanLimit[] {
  return ['primary', 'secondary'].flatMap((name) => {
    const window = field(limits, name);
    const used = parseAmount(field(window, 'usedPercent'));
    return used === undefined ? [] : [planLimit(windowName(window), used, field(window, 'resetsAt'))];
  });
}

function windowName(window: unknown): string {
  const minutes = parseAmount(field(window, 'windowDurationMins'));
  return minutes === undefined ? 'Window' : englishNumbers.duration(minutes * 60_000);
}

function windowText(window: unknown): string | undefined {
  const used = parseAmount(field(window, 'usedPercent'));
  if (used === undefined) return undefined;
  const name = windowName(window);
  const parts = [`${Math.round(used)}% used`, resetText(field(window, 'resetsAt'))];
  return `${name}: ${parts.filter((part) => part !== undefined).join(', ')}`;
}
