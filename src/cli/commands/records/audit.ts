import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Period } from '../../../engine/audit/auditSessions.ts';
import { EngineFailure } from '../../../engine/failures/failures.ts';
import { writeWhole } from '../../../engine/files/writeFiles.ts';
import { auditFormats, auditText } from '../../../formats/audit/formats.ts';
import { parseOptions } from '../../options/args.ts';
import { escapedJson } from '../../print/terminalText.ts';
import { UsageError, type Command } from '../../command.ts';
import { createEngine, storeHelp } from '../../run/engine.ts';

const help = `Usage: vitrine audit ses_… | --from TIME [--to TIME] [options]
       vitrine audit --team [--from TIME] [--to TIME]
       vitrine audit --team --verify

Lists who ran what: commands and their results, files, permissions and other decisions, of one session or of all sessions
active in a period. The first row of each session shows the state of its record. Secrets are masked.

  --team             lists the actions in the team and who took them, as JSON lines. The owner and auditors see
                     everything, members only their own actions. Each row has the hash of the last line of the team's
                     copy, if it exists, and the newest signature of its machine
  --verify           verifies each team record that you can read, line by line, and its signature; exit code 1 if one
                     was altered or truncated
  --from TIME        a date such as 2026-01-31 or an ISO 8601 time; dates begin at midnight UTC
  --to TIME          end of the period, exclusive; default: now
  --format FORMAT    ${auditFormats.join(', ')}; default: jsonl
  --out FILE         output file, overwritten if it exists; default: stdout
  --no-redact        does not mask secrets
${storeHelp}`;

const options = {
  store: { type: 'string' },
  team: { type: 'boolean' },
  verify: { type: 'boolean' },
  from: { type: 'string' },
  to: { type: 'string' },
  format: { type: 'string' },
  out: { type: 'string' },
  'no-redact': { type: 'boolean' },
} as const;

export const auditCommand: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('audit', { args: [...args], options, allowPositionals: true });
    const [id, ...others] = positionals;
    if (values.team === true) {
      if (id !== undefined || values.out !== undefined || values.format !== undefined)
        throw new UsageError('--team lists the whole team as JSON lines.', 'With --team, use only --from and --to.');
      const { printTeamAudit, printVerifiedTeam } = await import('../../team/audit.ts');
      if (values.verify === true) {
        if (values.from !== undefined || values.to !== undefined)
          throw new UsageError('--verify cannot be combined with --from or --to.', 'It always reads whole records.');
        return printVerifiedTeam(context, values.store);
      }
      const from = values.from === undefined ? 0 : timeOf('--from', values.from);
      const to = values.to === undefined ? undefined : timeOf('--to', values.to);
      return printTeamAudit(context, { store: values.store, from, to });
    }
    if (values.verify === true)
      throw new UsageError('--verify applies only to --team.', 'Add --team, or use "vitrine verify".');
    if (others.length > 0 || (id === undefined) === (values.from === undefined))
      throw new UsageError('Specify one session, or a period with --from.', 'See "vitrine audit --help".');
    const format = auditFormats.find((auditFormat) => auditFormat === (values.format ?? 'jsonl'));
    if (format === undefined)
      throw new UsageError(`Unknown format: "${values.format ?? ''}".`, `Formats: ${auditFormats.join(', ')}.`);
    const period: Period = {
      from: values.from === undefined ? -Infinity : timeOf('--from', values.from),
      to: values.to === undefined ? context.now() : timeOf('--to', values.to),
    };
    const engine = createEngine(context, { store: values.store });
    try {
      const key = values['no-redact'] === true ? null : randomBytes(16).toString('hex');
      const text = auditText(format, await engine.archive.audit(id ?? period, key));
      if (values.out === undefined)
        await pipeline(Readable.from(auditOutput(format, text)), context.stdout, { end: false });
      else await writeWhole(path.resolve(context.cwd, values.out), text);
      return 0;
    } catch (error) {
      if (EngineFailure.is(error)) throw new UsageError(error.message, error.detail);
      throw error;
    } finally {
      await engine.dispose();
    }
  },
};

/** Writes CSV unchanged, and escapes control characters in JSON, which does not change its values. */
async function* auditOutput(format: string, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield format === 'jsonl' ? escapedJson(chunk) : chunk;
}

function timeOf(name: string, value: string): number {
  const time = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(time))
    throw new UsageError(
      `"${value}" is not a valid date or time (${name}).`,
      'Use a date such as 2026-01-31, or an ISO 8601 time.',
    );
  return time;
}
