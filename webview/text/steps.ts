import { plural, t } from '../l10n.ts';

/** Parts of a number of steps. */
export function stepsHint(main: number, subagents: number): string {
  const parts = [
    plural(main, t('{0} main agent step', 1), t('{0} main agent steps')),
    plural(subagents, t('{0} subagent step', 1), t('{0} subagent steps')),
  ];
  return parts.join(', ');
}
