import { parseOptions } from '../../options/args.ts';
import { UsageError, type Command } from '../../command.ts';
import { startedDaemon, withDaemonErrors } from '../../run/daemon.ts';
import { storeHelp } from '../../run/engine.ts';
import { comparisonText } from '../../race/comparisonText.ts';
import { writeLines } from '../../print/output.ts';

const help = `Usage: vitrine compare ses_… ses_… [options]

Compares sessions, whether they were part of a race or not: outcome, changed files and lines, time, cost, and statements
for which the session has no evidence. Files and lines are those that the agents reported.

  --json             prints the comparison as JSON
${storeHelp}`;

const options = { store: { type: 'string' }, json: { type: 'boolean' } } as const;

export const compare: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('compare', { args: [...args], options, allowPositionals: true });
    const ids = [...new Set(positionals)];
    if (ids.length < 2)
      throw new UsageError('Specify at least two sessions.', 'See "vitrine sessions" for session IDs.');
    const daemon = await startedDaemon(context, { store: values.store });
    try {
      const comparison = await withDaemonErrors(() => daemon.call('compareSessions', { session_ids: ids }));
      if (values.json === true) await writeLines(context.stdout, [comparison]);
      else context.stdout.write(comparisonText(comparison));
      return 0;
    } finally {
      daemon.close();
    }
  },
};
