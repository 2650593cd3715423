import type { SessionHandle } from '../engine/api.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineFailure } from '../engine/failures.ts';
import { unrecordedText } from '../engine/unrecorded.ts';
import { quoted } from '../model/visibleText.ts';
import type { CliContext } from './command.ts';
import { EntryPrinter } from './entryPrinter.ts';
import { incomplete } from './incomplete.ts';
import { writeLines } from './output.ts';

const done = 0;
const agentFailed = 1;
const notStarted = 2;

/**
 * Prints a run as it goes, and its result: the exit code for it. Says why where it could not be started. Disposes the engine.
 */
export async function runHere(
  engine: Engine,
  context: CliContext,
  start: () => Promise<SessionHandle>,
): Promise<number> {
  try {
    await engine.sweep();
    return await watch(engine, context, start);
  } catch (error) {
    if (!EngineFailure.is(error)) throw error;
    context.stderr.write(`vitrine: ${error.message}\n${error.detail}\n`);
    return notStarted;
  } finally {
    await engine.dispose();
  }
}

async function watch(engine: Engine, context: CliContext, start: () => Promise<SessionHandle>): Promise<number> {
  let session: string | undefined;
  const registration = engine.onSummary((summary) => {
    session ??= summary.session_id;
  });
  let interrupts = 0;
  const stopListening = context.onInterrupt(() => {
    interrupts += 1;
    if (session !== undefined) void engine.stop(session, { kill: interrupts > 1 });
    // Nothing has started yet: disposing the engine keeps it so.
    else if (interrupts === 1) void engine.dispose();
    else process.exit(notStarted);
  });
  try {
    const handle = await start();
    const printer = new EntryPrinter(handle, context, handle.turns().at(-1)?.firstIndex ?? 0);
    const result = await handle.done;
    await printer.printed();
    if (result === undefined) return agentFailed;
    await writeLines(context.stdout, [result]).catch(() => undefined);
    const unasked = printer.deniedByNobody;
    if (unasked > 0)
      context.stderr.write(
        `vitrine: Denied, because nobody is here to be asked: ${unasked} of the agent's requests.\n`,
      );
    if (!result.success) context.stderr.write(`vitrine: ${failureLine(handle, result.error)}\n`);
    if (result.unrecorded !== undefined) context.stderr.write(`vitrine: ${unrecordedText(result.unrecorded)}\n`);
    if (!result.success) return agentFailed;
    return result.unrecorded === undefined ? done : incomplete;
  } finally {
    stopListening();
    registration.dispose();
  }
}

/** Why it failed may be in the agent's words, which are given as such; why it was stopped is in Vitrine's. */
function failureLine(handle: SessionHandle, error: string | null | undefined): string {
  const { agent_label: agent, outcome, reason = error ?? undefined } = handle.summary();
  if (reason === undefined) return `${agent} failed.`;
  return outcome !== 'failed' ? reason : `The run of ${agent} failed: ${quoted(reason)}`;
}
