import { parseOptions } from '../args.ts';
import type { Command } from '../command.ts';
import { writeLines } from '../output.ts';
import { readRecordedRun, recordedRunHelp, recordedRunOptions } from '../recordedRun.ts';

const help = `Usage: vitrine normalize --agent TYPE [options]

Prints the transcript of a run from what the agent printed: one entry per line as JSON, in index order. Exit code 0
whatever the input holds; what is not understood is an entry that says so.

${recordedRunHelp}`;

export const normalize: Command = {
  help,
  async run(args, context) {
    const { values } = parseOptions('normalize', { args: [...args], options: recordedRunOptions });
    const { transcript } = await readRecordedRun(values, context, () => undefined);
    try {
      await writeLines(context.stdout, transcript.settled());
      return 0;
    } finally {
      transcript.close();
    }
  },
};
