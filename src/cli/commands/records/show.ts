import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { SessionHandle } from '../../../engine/api.ts';
import { EngineFailure } from '../../../engine/failures/failures.ts';
import type { ObservedTranscript } from '../../../engine/sources/sources.ts';
import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import { isSynthetic } from '../../../model/transcript/synthetic.ts';
import { visibleLine } from '../../../model/text/visibleText.ts';
import { parseOptions } from '../../options/args.ts';
import { UsageError, type CliContext, type Command } from '../../command.ts';
import { createEngine, storeHelp } from '../../run/engine.ts';
import { entryText } from '../../print/entryText.ts';
import { followSession } from '../../print/followSession.ts';
import { incomplete, reportLost, reportMissing } from '../../print/incomplete.ts';
import { writeLines } from '../../print/output.ts';
import { readObserved } from '../../sessions/observed.ts';
import { exactStream } from '../../print/terminalText.ts';
import type { OpenShared } from '../../sessions/team.ts';

const help = `Usage: vitrine show ses_… [options]

Prints the transcript of a session as text. Follow-ups and child results are excluded and counted.
Sessions from other programs are read from their own stores ("vitrine sessions --all" lists them).
Exit code 4: entries are missing or the record is damaged; stderr says what and where.

  --synthetic        includes follow-ups and child results, marked
  --json             all entries, one per line as JSON
  --follow           keeps printing until the run ends, or until Ctrl-C
  --keep-following   keeps printing later runs too, until Ctrl-C
  --raw              the agent's raw output: its stdout on stdout, its stderr on stderr
${storeHelp}`;

const pageSize = 200;

export const show: Command = {
  help,
  async run(args, context) {
    const flag = { type: 'boolean' } as const;
    const options = { store: { type: 'string' }, raw: flag, json: flag, synthetic: flag } as const;
    const followOptions = { follow: flag, 'keep-following': flag } as const;
    const { values, positionals } = parseOptions('show', {
      args: [...args],
      options: { ...options, ...followOptions },
      allowPositionals: true,
    });
    const [id, ...others] = positionals;
    if (id === undefined || others.length > 0)
      throw new UsageError('Specify one session.', 'See "vitrine sessions" for session IDs.');
    const keeps = values['keep-following'] === true;
    if (keeps || values.follow === true) {
      if (values.raw === true) throw new UsageError('--raw does not follow a session.', 'Remove --follow.');
      const { store, json, synthetic } = values;
      return followSession(context, id, { store, keeps, json: json === true, synthetic: synthetic === true });
    }
    const engine = createEngine(context, { store: values.store });
    try {
      const handle = await engine.open(id);
      if (values.raw === true) {
        await engine.archive.unpack(id);
        await writeRaw(handle, context);
      } else if (values.json === true) await writeJson(handle, context);
      else await writeEntries(handle, context, values.synthetic === true);
      handle.dispose();
      return (await reportMissing(engine, id, context)) ? incomplete : 0;
    } catch (error) {
      if (reportLost(error, context)) return incomplete;
      const observed = EngineFailure.is(error) ? await readObserved(context, id) : null;
      if (observed !== null) return await showObserved(observed, context, values);
      if (EngineFailure.is(error, 'session_missing')) {
        const { openShared } = await import('../../sessions/team.ts');
        const shared = await openShared(context, values.store, id);
        if (shared !== null) return await showShared(shared, context, values);
      }
      if (EngineFailure.is(error)) throw new UsageError(error.message, error.detail);
      throw error;
    } finally {
      await engine.dispose();
    }
  },
};

/** A session of another member, from a copy of what the team has. */
async function showShared(
  { handle, problem, close }: OpenShared,
  context: CliContext,
  { raw, json, synthetic }: { raw?: boolean | undefined; json?: boolean | undefined; synthetic?: boolean | undefined },
): Promise<number> {
  try {
    if (raw === true) throw new UsageError('The raw output stays on the machine of the run.', 'Remove --raw.');
    if (json === true) await writeJson(handle, context);
    else await writeEntries(handle, context, synthetic === true);
    if (problem === null) return 0;
    context.stderr.write(`vitrine: The team’s copy is incomplete. ${visibleLine(problem)}\n`);
    return incomplete;
  } finally {
    await close();
  }
}

/** A session that another program has started, from its own store. */
async function showObserved(
  { entries, path, problems }: ObservedTranscript,
  context: CliContext,
  { raw, json, synthetic }: { raw?: boolean | undefined; json?: boolean | undefined; synthetic?: boolean | undefined },
): Promise<number> {
  if (raw === true) {
    throw new UsageError('Vitrine did not start this session, so no raw output exists.', `Session file: ${path}.`);
  }
  if (json === true) await writeLines(context.stdout, entries);
  else writeText(entries, context, synthetic === true);
  for (const problem of problems) context.stderr.write(`vitrine: ${visibleLine(problem)}\n`);
  return problems.length > 0 ? incomplete : 0;
}

async function* pagesOf(handle: SessionHandle): AsyncGenerator<readonly NormalizedEntry[]> {
  for (let from = 0; from < handle.entryCount(); from += pageSize) yield await handle.read(from, from + pageSize);
}

async function writeJson(handle: SessionHandle, { stdout }: CliContext): Promise<void> {
  for await (const entries of pagesOf(handle)) await writeLines(stdout, entries);
}

async function writeEntries(handle: SessionHandle, context: CliContext, synthetic: boolean): Promise<void> {
  let hidden = 0;
  for await (const entries of pagesOf(handle)) hidden += writePage(entries, context, synthetic);
  printHidden(hidden, context);
}

function writeText(entries: readonly NormalizedEntry[], context: CliContext, synthetic: boolean): void {
  printHidden(writePage(entries, context, synthetic), context);
}

/** Returns the number of hidden entries. */
function writePage(entries: readonly NormalizedEntry[], { stdout }: CliContext, synthetic: boolean): number {
  let hidden = 0;
  for (const entry of entries) {
    if (!synthetic && isSynthetic(entry)) hidden += 1;
    else stdout.write(`${entryText(entry)}\n\n`);
  }
  return hidden;
}

function printHidden(count: number, { stderr }: CliContext): void {
  if (count > 0) stderr.write(`Hidden follow-ups and child results: ${count} (--synthetic).\n`);
}

async function writeRaw(handle: SessionHandle, context: CliContext): Promise<void> {
  for (const { runId } of handle.turns()) {
    const files = handle.rawPath(runId);
    for (const stream of ['stdout', 'stderr'] as const) {
      await pipeline(createReadStream(files[stream]), exactStream(context[stream]), { end: false }).catch(
        (error: unknown) => {
          const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
          if (!missing) throw error;
        },
      );
    }
  }
}
