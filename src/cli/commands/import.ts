import path from 'node:path';
import { EngineFailure } from '../../engine/failures.ts';
import { agentOption, parseOptions } from '../args.ts';
import { UsageError, type Command } from '../command.ts';
import { createEngine, storeHelp } from '../engine.ts';

const help = `Usage: vitrine import FILE [options]

Keeps what a file holds as a session, and prints its id. Read are: a record of Vitrine (record.jsonl; what its runs printed
comes along where it lies beside it), messages of the Agent Communication Protocol as JSON, and what an agent printed to its
standard output; each also packed (.gz). An imported session can be read and exported, not gone on with.

  --agent TYPE       whose output it is, where the file does not tell
${storeHelp}`;

export const importCommand: Command = {
  help,
  async run(args, context) {
    const options = { store: { type: 'string' }, agent: { type: 'string' } } as const;
    const { values, positionals } = parseOptions('import', { args: [...args], options, allowPositionals: true });
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError('Give one file.', 'See "vitrine import --help".');
    const agent = values.agent === undefined ? {} : { agent: agentOption(values.agent).type };
    const engine = createEngine(context, { store: values.store, writes: true });
    try {
      const report = await engine.archive.import({ file: path.resolve(context.cwd, file), ...agent });
      context.stdout.write(`${report.sessionId}\n`);
      const was = report.original === null ? '' : `, which was ${report.original}`;
      const parts = report.problems === 1 ? '1 part' : `${report.problems} parts`;
      const damaged = report.problems === 0 ? '' : ` ${parts} of it could not be read.`;
      const entries = report.entries === 1 ? '1 entry' : `${report.entries} entries`;
      context.stderr.write(`vitrine: Imported (${report.format}): ${entries}${was}.${damaged}\n`);
      return 0;
    } catch (error) {
      if (EngineFailure.is(error)) throw new UsageError(error.message, error.detail);
      throw error;
    } finally {
      await engine.dispose();
    }
  },
};
