import { parseOptions } from '../../options/args.ts';
import type { Command } from '../../command.ts';
import { writeLines } from '../../print/output.ts';
import { readRecordedRun, recordedRunHelp, recordedRunOptions } from '../../run/recordedRun.ts';

const help = `Usage: vitrine normalize --agent TYPE [options]

Prints the transcript of a run from saved agent output: one JSON entry per line, in index order.
The exit code is always 0; unrecognized lines become entries of their own.

${recordedRunHelp}`;

export const normalize: Command = {
  help,
  async run(args, context) {
    const { values } = parseOptions('normalize', { args: [...args], options: recordedRunOptions });
    const { transcript } = await readRecordedRun(values, context, () => undefined);
    try {
      await writeLines(context.stdout, transcript.readSettled());
      return 0;
    } finally {
      transcript.close();
    }
  },
};
