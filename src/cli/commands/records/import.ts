import path from 'node:path';
import { agentOption, parseOptions } from '../../options/args.ts';
import { UsageError, type Command } from '../../command.ts';
import { withDaemonErrors } from '../../run/daemon.ts';
import { storeHelp } from '../../run/engine.ts';
import { RecordReader } from '../../run/recordReader.ts';
import { counted } from '../../print/counted.ts';

const help = `Usage: vitrine import FILE [options]

Imports a file as a session and prints its ID. Accepts a Vitrine record (record.jsonl, with the run output next to it),
Agent Communication Protocol messages as JSON, and the standard output of an agent. Files may be compressed (.gz).
You can read and export an imported session, but not resume it.

  --agent TYPE       agent that produced the output, if the file does not show it
${storeHelp}`;

export const importCommand: Command = {
  help,
  async run(args, context) {
    const options = { store: { type: 'string' }, agent: { type: 'string' } } as const;
    const { values, positionals } = parseOptions('import', { args: [...args], options, allowPositionals: true });
    const [file, ...others] = positionals;
    if (file === undefined || others.length > 0)
      throw new UsageError('Specify one file.', 'See "vitrine import --help".');
    const agent = values.agent === undefined ? {} : { agent: agentOption(values.agent).type };
    const reader = new RecordReader(context, { store: values.store, createsStore: true });
    try {
      const report = await withDaemonErrors(() =>
        reader.engine.archive.import({ file: path.resolve(context.cwd, file), ...agent }),
      );
      context.stdout.write(`${report.sessionId}\n`);
      const was = report.original === null ? '' : `, which was ${report.original}`;
      const parts = counted(report.problems, 'part');
      const damaged = report.problems === 0 ? '' : ` ${parts} of it could not be read.`;
      const entries = counted(report.entries, 'entry', 'entries');
      context.stderr.write(`vitrine: Imported (${report.format}): ${entries}${was}.${damaged}\n`);
      return 0;
    } finally {
      await reader.dispose();
    }
  },
};
