import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { resultEvents } from '../../../formats/resultEvents.ts';
import { runResult } from '../../../insight/ledger/ledger.ts';
import { loadPrices } from '../../../insight/prices/prices.ts';
import { runResultSchema, type ResultMetadata, type RunResult } from '../../../model/session/result.ts';
import { parseOptions } from '../../options/args.ts';
import { UsageError, type Command } from '../../command.ts';
import { writeLines } from '../../print/output.ts';
import { TextBuffer } from '../../print/textBuffer.ts';
import { pricesHelp, pricesOption } from '../../options/executorOptions.ts';
import { readRecordedRun, reason, recordedRunHelp, recordedRunOptions } from '../../run/recordedRun.ts';

const help = `Usage: vitrine result --agent TYPE [options]

Prints the result of a run as one line of JSON: success, data, error, stdout, stderr, warnings, metadata (session id, cost,
totalCost, turns, duration, apiDuration, isMaxTurns, …). The exit code is always 0.

  --events           adds events: texts, tool calls and results, with times in milliseconds
  --previous FILE    result of an earlier run of the same session; repeat for each run, oldest first. Some versions
                     report session totals, and only the difference belongs to this run
  --agent-version V  program version, if the output does not include it; determines what its totals cover
${pricesHelp}${recordedRunHelp}`;

export const result: Command = {
  help,
  async run(args, context) {
    const options = {
      ...recordedRunOptions,
      events: { type: 'boolean' },
      previous: { type: 'string', multiple: true },
      'agent-version': { type: 'string' },
      prices: { type: 'string' },
    } as const;
    const { values } = parseOptions('result', { args: [...args], options });
    const previous = await Promise.all((values.previous ?? []).map((file) => readPrevious(file, context.cwd)));
    const saved = { stdout: new TextBuffer(), stderr: new TextBuffer() };
    const run = await readRecordedRun(values, context, (stream, chunk) => saved[stream].add(chunk));
    const prices = await loadPrices(await pricesOption(values.prices, context));
    const { success, data, error, warnings, metadata } = runResult(run.facts, run.exit, previous, {
      prices,
      agentVersion: values['agent-version'] ?? null,
    });
    const cut = (['stdout', 'stderr'] as const).flatMap((stream) => saved[stream].warnings(stream));
    const allWarnings = [...(warnings ?? []), ...cut];
    const shown: RunResult = {
      success,
      ...(data !== undefined && { data }),
      ...(error !== undefined && { error }),
      stdout: saved.stdout.text,
      stderr: saved.stderr.text,
      ...(allWarnings.length > 0 && { warnings: allWarnings }),
      ...(metadata !== undefined && { metadata }),
      ...(values.events === true && { events: resultEvents([...run.transcript.readSettled()]) }),
    };
    run.transcript.close();
    await writeLines(context.stdout, [shown]);
    return 0;
  },
};

async function readPrevious(file: string, cwd: string): Promise<ResultMetadata> {
  const next = 'Use a file with the output of "vitrine result".';
  let text: string;
  try {
    text = await readFile(path.resolve(cwd, file), 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (--previous): ${reason(error)}.`, next);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON (--previous).`, next);
  }
  const known = runResultSchema.safeParse(parsed);
  if (!known.success) throw new UsageError(`${file} contains no result (--previous).`, next);
  if (known.data.metadata === undefined) throw new UsageError(`${file} has no metadata (--previous).`, next);
  return known.data.metadata;
}
