import type { Binding, Candidate, Mention, VerdictOfClaim } from '../types.ts';
import { withoutWrappers } from '../commands/commandForms.ts';
import { assessExitCode, shellParts, collapseSpaces } from '../commands/shell.ts';

/** Compares the claimed outcome of a command with its exit code: that of the newest of the best matches. */
export function bindCommandOutcome(binding: Binding, mention: Mention): Binding {
  if (binding.reason !== undefined) return { ...binding, judged: { verdict: 'unknown', reason: 'no_run' } };
  const [first] = binding.candidates;
  return first === undefined ? binding : { ...binding, judged: verdictOf(first, mention) };
}

function verdictOf(
  { command = '', status, exitCode, unfinished }: Candidate,
  { command: claimed = '', outcome }: Mention,
): VerdictOfClaim {
  if (unfinished === true || (exitCode !== undefined && [124, 129, 130, 137, 143].includes(exitCode)))
    return { verdict: 'unknown', reason: 'interrupted' };
  const parts = shellParts(command);
  const bare = withoutWrappers(claimed);
  const isMeant = (part: string): boolean =>
    collapseSpaces(part) === collapseSpaces(claimed) || withoutWrappers(part).startsWith(bare);
  const isWhole = collapseSpaces(command) === collapseSpaces(claimed);
  const exitCodeProves = isWhole ? { success: true, failure: true } : assessExitCode(parts, isMeant);
  const code = exitCode ?? (status === 'success' ? 0 : status === 'failed' ? 1 : undefined);
  const result =
    code === 0
      ? exitCodeProves.success
        ? 'passed'
        : undefined
      : code !== undefined && exitCodeProves.failure
        ? 'failed'
        : undefined;
  if (result === undefined) return { verdict: 'unknown', reason: 'no_outcome' };
  return result === outcome
    ? { verdict: 'agrees', reason: 'same_outcome' }
    : { verdict: 'disagrees', reason: 'other_outcome' };
}
