import path from 'node:path';
import type { AgentAdapter } from '../../agents/adapter.ts';
import { adapters } from '../../agents/registry.ts';
import { outputProfile } from '../../engine/outputProfile.ts';
import { agentOption, exitOption, numberOption, parseOptions } from '../args.ts';
import { UsageError, type Command } from '../command.ts';
import { createEngine, storeHelp } from '../engine.ts';
import { runInForeground } from '../run/foreground.ts';

const help = `Usage: vitrine replay FILE [options]

Plays what an agent printed to a file as if it ran, and keeps it as a session that is marked as a recording. No program is
started. Prints the transcript as "vitrine run" does. Exit code 0: the recorded run was a success; 1: it was not; 2: it could
not be played.

  --agent TYPE       whose output it is: ${adapters.map(({ type }) => type).join(', ')};
                     default: known by its lines, where they tell
  --speed N          2 is twice as fast, 0 does not wait; default: 1, at an even pace
  --exit N           how it ended: an exit code, or the name of a signal; not known if absent
  --cwd DIR          the folder that it is about; default: the current one
${storeHelp}`;

const options = {
  agent: { type: 'string' },
  speed: { type: 'string' },
  exit: { type: 'string' },
  cwd: { type: 'string' },
  store: { type: 'string' },
} as const;

export const replay: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('replay', { args: [...args], options, allowPositionals: true });
    const [given, ...more] = positionals;
    if (given === undefined || more.length > 0) throw new UsageError('Give one file.', 'See "vitrine replay --help".');
    const named = values.agent === undefined ? undefined : agentOption(values.agent).type;
    const replaySpeed = values.speed === undefined ? 1 : numberOption('--speed', values.speed);
    const exit = exitOption(values.exit);
    const file = path.resolve(context.cwd, given);
    const cwd = path.resolve(context.cwd, values.cwd ?? '.');
    const engineOptions = { store: values.store, writes: true, replaySpeed };
    const engine = createEngine(context, engineOptions);
    return runInForeground(engine, context, engineOptions, async () => {
      const agent = named ?? onlyOne(file, await engine.recogniseOutput(file)).type;
      const profile = outputProfile(agent, file, exit);
      return { start: { agent: 'replay', profile, cwd, prompt: `Replay of ${path.basename(file)}` } };
    });
  },
};

/** @throws UsageError where the file does not tell */
function onlyOne(file: string, [found, ...others]: readonly AgentAdapter[]): AgentAdapter {
  if (found !== undefined && others.length === 0) return found;
  const some = found === undefined ? adapters : [found, ...others];
  const types = some.map(({ type }) => type).join(', ');
  throw new UsageError(`Could not tell which agent printed ${file}.`, `Say it with --agent: ${types}.`);
}
