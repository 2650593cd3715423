import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EngineFailure } from '../../../engine/failures/failures.ts';
import type { ExportReport, SessionExport } from '../../../engine/archive/exportSession.ts';
import { exportFormats } from '../../../formats/export/formats.ts';
import { parseOptions } from '../../options/args.ts';
import { exportStream } from '../../print/terminalText.ts';
import { incomplete, reportLost, reportMissing } from '../../print/incomplete.ts';
import { UsageError, type CliContext, type Command } from '../../command.ts';
import { storeHelp } from '../../run/engine.ts';
import { RecordReader } from '../../run/recordReader.ts';
import { notRecorded, readObserved } from '../../sessions/observed.ts';

const help = `Usage: vitrine export --format FORMAT ses_… [options]

Exports a session to another format. Secrets are masked and listed on stderr. The daemon notes the export
in the record.
Exit code 4: entries are missing or the record is damaged; stderr says what and where.

  --format FORMAT    ${exportFormats.map(({ id }) => id).join(', ')}
  --children         includes child sessions and their children, at most 100; only for html
  --out FILE         output file, overwritten if it exists; default: stdout
  --no-redact        does not mask secrets
  --key HEX          masking key that an earlier export printed: this export then has the same bytes
${storeHelp}`;

const maxListed = 20;
const interrupted = 130;
const options = {
  store: { type: 'string' },
  format: { type: 'string' },
  out: { type: 'string' },
  children: { type: 'boolean' },
  'no-redact': { type: 'boolean' },
  key: { type: 'string' },
} as const;

export const exportCommand: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('export', { args: [...args], options, allowPositionals: true });
    const [id, ...others] = positionals;
    if (id === undefined || others.length > 0)
      throw new UsageError('Specify one session.', 'See "vitrine sessions" for session IDs.');
    const known = `Formats: ${exportFormats.map((format) => format.id).join(', ')}.`;
    if (values.format === undefined) throw new UsageError('--format is missing.', known);
    const { key, children = false } = values;
    if (children && values.format !== 'html')
      throw new UsageError('--children applies only to --format html.', 'Remove it, or export each session.');
    if (key !== undefined && !/^(?:[0-9a-f]{2}){8,64}$/.test(key))
      throw new UsageError('--key is not a hexadecimal key.', 'Use the key that an earlier export printed to stderr.');
    const redact = values['no-redact'] !== true;
    if (key !== undefined && !redact)
      throw new UsageError('--key and --no-redact cannot be used together.', 'Use only one of them.');
    const reader = new RecordReader(context, { store: values.store });
    const { engine } = reader;
    const stopped = new AbortController();
    // An incomplete file is deleted; stdout keeps what was written.
    const stopListening =
      values.out === undefined
        ? undefined
        : context.onInterrupt(() => {
            // A second interrupt ends the process at once.
            stopListening?.();
            stopped.abort();
          });
    try {
      const request = { format: values.format, redact, children, ...(key !== undefined && { key }) };
      // Checked before the export is added to the record.
      const isIncomplete = await reportMissing(engine, id, context);
      const report =
        values.out === undefined
          ? await toStdout(await engine.archive.export(id, request), context)
          : await engine.archive.exportToFile(id, request, path.resolve(context.cwd, values.out), stopped.signal);
      if (report !== null) printReport(report, context);
      return isIncomplete ? incomplete : 0;
    } catch (error) {
      if (stopped.signal.aborted) return interrupted;
      if (reportLost(error, context)) return incomplete;
      const observed = EngineFailure.is(error) ? await readObserved(context, id) : null;
      if (observed !== null) throw new UsageError(`No record to export: ${notRecorded(observed)}`, showInstead);
      if (EngineFailure.is(error)) throw new UsageError(error.message, error.detail);
      throw error;
    } finally {
      stopListening?.();
      await reader.dispose();
    }
  },
};

const showInstead = '"vitrine show --json" prints its entries.';

async function toStdout(exported: SessionExport, { stdout }: CliContext): Promise<ExportReport | null> {
  await pipeline(Readable.from(exported.chunks), exportStream(stdout), { end: false });
  return exported.report();
}

function printReport({ redaction, key }: ExportReport, { stderr }: CliContext): void {
  const say = (text: string): void => void stderr.write(`vitrine: ${text}\n`);
  if (redaction === null) say('Nothing was masked (--no-redact). The export may contain secrets.');
  else if (redaction.total === 0) say('No secrets were found.');
  else {
    say(
      `${redaction.total} ${redaction.total === 1 ? 'secret was' : 'secrets were'} masked, with the key ${key ?? ''}:`,
    );
    for (const { entry, field, rule, length, tag } of redaction.masked.slice(0, maxListed)) {
      const where = entry === undefined ? field : `entry ${entry}, ${field}`;
      say(`  ${rule} hmac:${tag}, ${length} characters in ${where}`);
    }
    if (redaction.total > maxListed) {
      const rules = Object.entries(redaction.byRule).map(([rule, count]) => `${rule} ${count}`);
      say(`  and ${redaction.total - maxListed} more; by rule: ${rules.join(', ')}`);
    }
  }
}
