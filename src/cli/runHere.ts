import type { SessionHandle } from '../engine/api.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineFailure } from '../engine/failures.ts';
import type { NormalizedEntry } from '../model/entry.ts';
import { quoted } from '../model/visibleText.ts';
import { requestMetadataSchema } from '../model/request.ts';
import type { CliContext } from './command.ts';
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
    const printed = printer(handle, context, handle.turns().at(-1)?.firstIndex ?? 0);
    const result = await handle.done;
    await printed();
    if (result === undefined) return agentFailed;
    await writeLines(context.stdout, [result]).catch(() => undefined);
    const unasked = await deniedByNobody(handle);
    if (unasked > 0)
      context.stderr.write(
        `vitrine: Denied, because nobody is here to be asked: ${unasked} of the agent's requests.\n`,
      );
    if (!result.success) context.stderr.write(`vitrine: ${failureLine(handle, result.error)}\n`);
    return result.success ? done : agentFailed;
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

async function deniedByNobody(handle: SessionHandle): Promise<number> {
  const entries = await handle.read(handle.turns().at(-1)?.firstIndex ?? 0, handle.total());
  return entries.filter(({ metadata }) => requestMetadataSchema.safeParse(metadata).data?.decision?.by === 'nobody')
    .length;
}

/** Prints settled entries in the order in which they settle; those that settled before it began come first. */
function printer(handle: SessionHandle, context: CliContext, first: number): () => Promise<void> {
  const total = handle.total();
  const open = new Set(handle.open());
  // Whoever read has gone; that ends the run, not this.
  const print = (entries: Iterable<NormalizedEntry>) => writeLines(context.stdout, entries).catch(() => undefined);
  let written: Promise<void> = handle.read(first, total).then((entries) =>
    writeLines(
      context.stdout,
      entries.filter((entry) => !open.has(entry.index)),
    ),
  );
  handle.onUpdates((updates) => {
    const settled = new Map<number, NormalizedEntry>();
    for (const update of updates) {
      if (update.op !== 'put') continue;
      if (update.open === true) settled.delete(update.entry.index);
      else settled.set(update.entry.index, update.entry);
    }
    if (settled.size > 0) written = written.then(() => print(settled.values()));
  });
  return () => written;
}
