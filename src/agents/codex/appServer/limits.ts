import { amount, field } from '../../shared/guards.ts';
import { resetText } from '../../shared/planLimits.ts';
import { englishFigures } from '../../../text/figures.ts';

/** The limits of the user's plan, one per line; `undefined` if Codex reports none. */
export function limitsText(limits: unknown): string | undefined {
  const windows = ['primary', 'secondary'].flatMap((name) => windowText(field(limits, name)) ?? []);
  return windows.length === 0 ? undefined : ['Plan limits', ...windows.map((each) => `- ${each}`)].join('\n');
}

function windowText(window: unknown): string | undefined {
  const used = amount(field(window, 'usedPercent'));
  if (used === undefined) return undefined;
  const minutes = amount(field(window, 'windowDurationMins'));
  const name = minutes === undefined ? 'Window' : englishFigures.duration(minutes * 60_000);
  const parts = [`${Math.round(used)} % used`, resetText(field(window, 'resetsAt'))];
  return `${name}: ${parts.filter((part) => part !== undefined).join(', ')}`;
}
