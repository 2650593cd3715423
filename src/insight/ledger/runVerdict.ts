import type { ExitInfo, RunFacts, RunReport } from '../../model/usage/facts.ts';

export type EndReason = 'completed' | 'max_turns' | 'max_budget' | 'interrupted' | 'error';

export interface Verdict {
  readonly endReason: EndReason;
  /** One sentence for people; absent if the run succeeded. */
  readonly error?: string;
}

/**
 * How a run ended, from its exit code and from what the agent said. They can contradict each other: an interrupted run exits
 * with 0, an API error is a "success" with an error.
 */
export function verdictOf(facts: RunFacts, ended: ExitInfo): Verdict {
  const exit = facts.ended ?? ended;
  const report = facts.reports.at(-1);
  if (report === undefined) return verdictWithoutReport(facts, exit);
  const errors = report.errors.filter((error) => !diagnostic.test(error));
  const errorText = errors.join('\n');
  switch (report.subtype) {
    case 'error_max_turns':
      return { endReason: 'max_turns', error: errorText || 'Reached the maximum number of turns.' };
    case 'error_max_budget_usd':
      return { endReason: 'max_budget', error: errorText || 'Reached the maximum budget.' };
    default:
      if (isInterrupted(report, errorText)) return { endReason: 'interrupted', error: interruptedText(exit) };
      if (isFailed(report))
        return { endReason: 'error', error: errorText || (report.text ?? '') || failedText(facts, exit) };
      return verdictAfterSuccess(facts, exit);
  }
}

/** Claude Code's internal message in place of a reason. */
const diagnostic = /^\[ede_diagnostic\]/;

function isFailed(report: RunReport): boolean {
  return report.isError || report.subtype?.startsWith('error') === true;
}

function isInterrupted(report: RunReport, errorText: string): boolean {
  if (report.terminalReason?.startsWith('aborted') === true) return true;
  return report.subtype === 'error_during_execution' && errorText === '' && (report.text ?? '') === '';
}

function verdictAfterSuccess(facts: RunFacts, exit: ExitInfo): Verdict {
  if (exit.signal !== null || stopCodes.has(exit.code ?? 0)) {
    return { endReason: 'interrupted', error: interruptedText(exit) };
  }
  if (exit.code !== null && exit.code !== 0) return { endReason: 'error', error: failedText(facts, exit) };
  return { endReason: 'completed' };
}

function verdictWithoutReport(facts: RunFacts, exit: ExitInfo): Verdict {
  const stopped = exit.signal !== null || stopCodes.has(exit.code ?? 0);
  if (stopped) return { endReason: 'interrupted', error: interruptedText(exit) };
  const began = facts.messages.length > 0 || facts.sessionIds.length > 0 || facts.answer !== '';
  if (began && (exit.code === null || exit.code === 0)) {
    return { endReason: 'interrupted', error: 'The run was interrupted: the agent ended without a final result.' };
  }
  return { endReason: 'error', error: failedText(facts, exit) };
}

/** Exit codes of shells for SIGHUP, SIGINT, SIGKILL and SIGTERM. */
const stopCodes: ReadonlySet<number> = new Set([129, 130, 137, 143]);

function interruptedText({ code, signal }: ExitInfo): string {
  if (signal !== null) return `The run was interrupted (${signal}).`;
  return stopCodes.has(code ?? 0) ? `The run was interrupted (exit code ${code ?? 0}).` : 'The run was interrupted.';
}

const stderrLines = 20;

function failedText(facts: RunFacts, { code }: ExitInfo): string {
  const last = facts.stderr.trim().split('\n').slice(-stderrLines).join('\n');
  if (last !== '') return last;
  const how = code === null ? '' : ` with exit code ${code}`;
  return facts.reports.length === 0
    ? `The agent ended${how} without reporting a result.`
    : `The agent ended${how} and gave no reason.`;
}
