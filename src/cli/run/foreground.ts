import { DaemonError } from '../../client/errors.ts';
import type { Engine } from '../../engine/engine.ts';
import { EngineFailure } from '../../engine/failures/failures.ts';
import { unrecordedText } from '../../engine/run/unrecordedResult.ts';
import { quoteSafely } from '../../model/text/visibleText.ts';
import type { CliContext } from '../command.ts';
import type { EngineOptions } from './engine.ts';
import { incomplete } from '../print/incomplete.ts';
import { writeLines } from '../print/output.ts';
import type { RequestedRun } from './requestedRun.ts';
import { runsOf, type StartRun, type StartedRun } from './begin.ts';
import { EntryPrinter, type PrintedSession } from './entryPrinter.ts';

const done = 0;
const agentFailed = 1;
const notStarted = 2;
/** Exit code as in shells: 128 plus the number of SIGHUP. */
const hangupExitCode = 129;

/**
 * Runs without a user to answer, prints transcript and result, and returns the exit code. Prints why if the run could
 * not start. The run survives the closing of its terminal. Disposes the engine.
 */
export async function runInForeground(
  engine: Engine,
  context: CliContext,
  options: EngineOptions,
  ask: () => Promise<RequestedRun>,
): Promise<number> {
  try {
    return await watch(runsOf(context, engine, options), context, async () => asNonInteractive(await ask()));
  } catch (error) {
    if (!EngineFailure.is(error) && !DaemonError.is(error)) throw error;
    context.stderr.write(`vitrine: ${error.message}\n${error.detail}\n`);
    return notStarted;
  } finally {
    await engine.dispose();
  }
}

/** Output of foreground runs is often read by programs, which cannot answer. */
function asNonInteractive(run: RequestedRun): RequestedRun {
  const interactive = false;
  if ('start' in run) return { start: { ...run.start, interactive } };
  if ('resume' in run) return { ...run, resume: { ...run.resume, interactive } };
  return { ...run, fork: { ...run.fork, interactive } };
}

async function watch(begin: StartRun, context: CliContext, ask: () => Promise<RequestedRun>): Promise<number> {
  let run: StartedRun | undefined;
  const cancelled = new AbortController();
  let hangUp = (): void => undefined;
  const whenClosedEarly = new Promise<'left'>((resolve) => {
    hangUp = () => resolve('left');
  });
  let interrupts = 0;
  let stopped: Promise<void> = Promise.resolve();
  const stop = (started: StartedRun, kill: boolean): void => {
    stopped = started.stop(kill).catch((error: unknown) => printError(context, error));
  };
  const stopListening = context.onInterrupt((cause) => {
    if (cause === 'hangup') {
      hangUp();
      return;
    }
    interrupts += 1;
    if (run !== undefined) stop(run, interrupts > 1);
    else if (interrupts === 1) cancelled.abort();
    else process.exit(notStarted);
  });
  try {
    const answer = await ask();
    run = await begin(answer, cancelled.signal);
    // The run started while it was being cancelled.
    if (cancelled.signal.aborted) stop(run, interrupts > 1);
    const { session } = run;
    const printer = new EntryPrinter(session, context, session.turns().at(-1)?.firstIndex ?? 0);
    const result = await Promise.race([session.done, whenClosedEarly]);
    if (result === 'left') return hangupExitCode;
    // Processes of the agent may end after it.
    await Promise.race([stopped, whenClosedEarly]);
    await printer.whenPrinted();
    if (result === undefined) return agentFailed;
    await writeLines(context.stdout, [result]).catch(() => undefined);
    const deniedCount = printer.deniedByNobody;
    if (deniedCount > 0) context.stderr.write(`vitrine: No one can answer requests here. Denied: ${deniedCount}.\n`);
    if (!result.success) context.stderr.write(`vitrine: ${failureLine(session, result.error)}\n`);
    if (result.unrecorded !== undefined) context.stderr.write(`vitrine: ${unrecordedText(result.unrecorded)}\n`);
    if (!result.success) return agentFailed;
    return result.unrecorded === undefined ? done : incomplete;
  } finally {
    stopListening();
    run?.close();
  }
}

function printError({ stderr }: CliContext, error: unknown): void {
  stderr.write(`vitrine: The agent could not be stopped: ${error instanceof Error ? error.message : String(error)}\n`);
}

/** A failure may be in the agent's words, which are marked as such; the reason for a stop is in Vitrine's. */
function failureLine(session: PrintedSession, error: string | null | undefined): string {
  const { agent_label: agent, outcome, reason = error ?? undefined } = session.summary();
  if (reason === undefined) return `${agent} failed.`;
  return outcome !== 'failed' ? reason : `The ${agent} run failed: ${quoteSafely(reason)}`;
}
