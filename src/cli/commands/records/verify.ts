import path from 'node:path';
import { verdictDetails, verdictWording } from '../../../engine/audit/verdictWording.ts';
import { EngineFailure } from '../../../engine/failures/failures.ts';
import { toEnglish } from '../../../engine/failures/wording.ts';
import { sessionIdSchema } from '../../../model/session/session.ts';
import { reportLost } from '../../print/incomplete.ts';
import { parseOptions } from '../../options/args.ts';
import { UsageError, type Command } from '../../command.ts';
import { createEngine, storeHelp } from '../../run/engine.ts';
import { notRecorded, readObserved } from '../../sessions/observed.ts';

const help = `Usage: vitrine verify ses_…|FILE [options]

Checks whether a record was changed, and from which line. Prints its hash, the last line synced to disk,
and who signed it. FILE is a record.jsonl; the files next to it are used too.
Exit code 0: intact; 1: altered, truncated, or its signature is not valid; 3: it has no hash chain, or Vitrine
did not record it.

  --json             all details, as one line of JSON
${storeHelp}`;

const exitCodeIfBroken = 1;
const exitCodeIfUnchained = 3;

export const verifyCommand: Command = {
  help,
  async run(args, context) {
    const options = { store: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseOptions('verify', { args: [...args], options, allowPositionals: true });
    const [which, ...others] = positionals;
    if (which === undefined || others.length > 0)
      throw new UsageError('Specify one session, or the file of a record.', 'See "vitrine sessions" for session IDs.');
    const engine = createEngine(context, { store: values.store });
    try {
      const found = sessionIdSchema.safeParse(which).success
        ? await engine.archive.verify(which)
        : await engine.archive.verifyFile(path.resolve(context.cwd, which));
      if (values.json === true) context.stdout.write(`${JSON.stringify(found)}\n`);
      else
        context.stdout.write(
          [verdictWording(found), ...verdictDetails(found)].map((wording) => `${toEnglish(wording)}\n`).join(''),
        );
      if (found.verdict === 'unchained') return exitCodeIfUnchained;
      return found.verdict === 'intact' && found.signature?.state !== 'bad' ? 0 : exitCodeIfBroken;
    } catch (error) {
      if (reportLost(error, context)) return exitCodeIfBroken;
      const observed = EngineFailure.is(error) ? await readObserved(context, which) : null;
      if (observed !== null) {
        context.stdout.write(`Nothing to verify: ${notRecorded(observed)}\n`);
        return exitCodeIfUnchained;
      }
      if (EngineFailure.is(error)) throw new UsageError(error.message, error.detail);
      throw error;
    } finally {
      await engine.dispose();
    }
  },
};
