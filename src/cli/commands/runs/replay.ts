import path from 'node:path';
import type { AgentAdapter } from '../../../agents/adapter.ts';
import { adapters } from '../../../agents/registry.ts';
import { outputProfile } from '../../../engine/replay/outputProfile.ts';
import { agentOption, exitOption, numberOption, parseOptions } from '../../options/args.ts';
import { UsageError, type Command } from '../../command.ts';
import { createEngine, storeHelp } from '../../run/engine.ts';
import { runInForeground } from '../../run/foreground.ts';

const help = `Usage: vitrine replay FILE [options]

Replays saved agent output and saves it as a session marked as a recording. Starts no program.
Prints the transcript as "vitrine run" does. Exit code 0: the recorded run succeeded; 1: it failed; 2: it could
not be replayed.

  --agent TYPE       agent that produced the output: ${adapters.map(({ type }) => type).join(', ')};
                     default: detected from the output
  --speed N          speed; default: 1, at an even pace; 2: twice as fast; 0: no delays
  --exit N           exit code or signal name of the run; unknown if omitted
  --cwd DIR          working folder of the run; default: the current one
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
    const [argument, ...others] = positionals;
    if (argument === undefined || others.length > 0)
      throw new UsageError('Specify one file.', 'See "vitrine replay --help".');
    const named = values.agent === undefined ? undefined : agentOption(values.agent).type;
    const replaySpeed = values.speed === undefined ? 1 : numberOption('--speed', values.speed);
    const exit = exitOption(values.exit);
    const file = path.resolve(context.cwd, argument);
    const cwd = path.resolve(context.cwd, values.cwd ?? '.');
    const engineOptions = { store: values.store, createsStore: true, replaySpeed };
    const engine = createEngine(context, engineOptions);
    return runInForeground(engine, context, engineOptions, async () => {
      const agent = named ?? requireSingleAdapter(file, await engine.recognizeOutput(file)).type;
      const profile = outputProfile(agent, file, exit);
      return { start: { agent: 'replay', profile, cwd, prompt: `Replay of ${path.basename(file)}` } };
    });
  },
};

/** @throws UsageError if the file does not show it */
function requireSingleAdapter(file: string, [found, ...others]: readonly AgentAdapter[]): AgentAdapter {
  if (found !== undefined && others.length === 0) return found;
  const some = found === undefined ? adapters : [found, ...others];
  const types = some.map(({ type }) => type).join(', ');
  throw new UsageError(`Could not determine which agent produced ${file}.`, `Specify it with --agent: ${types}.`);
}
