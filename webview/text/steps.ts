import { plural, t } from '../l10n.ts';

/** Parts of a number of steps. */
export function stepsHint(main: number, subagents: number): string {
  const parts = [
    plural(main, t('{0} step of the main agent', 1), t('{0} steps of the main agent')),
    plural(subagents, t('{0} step of subagents', 1), t('{0} steps of subagents')),
  ];
  return parts.join(', ');
}
