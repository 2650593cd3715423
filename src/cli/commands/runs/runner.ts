import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { CoordinatorError } from '../../../coordinator/errors.ts';
import { stopSessionTree } from '../../../engine/children/stopSessionTree.ts';
import { executeJob } from '../../../engine/coordinator/execute.ts';
import { joinCoordinator } from '../../../engine/coordinator/join.ts';
import { RunnerLoop } from '../../../engine/coordinator/runner.ts';
import type { Run } from '../../../model/session/session.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import { numberOption, parseOptions } from '../../options/args.ts';
import { trustedBlueprints, inputOf } from '../../blueprints/blueprints.ts';
import { UsageError, type CliContext, type Command } from '../../command.ts';
import { coordinatorDeps } from '../../run/coordinator.ts';
import { createEngine, storeFolder, storeHelp } from '../../run/engine.ts';
import { executorOption } from '../../options/executorOptions.ts';
import { visibleLine } from '../../../model/text/visibleText.ts';

const help = `Usage: vitrine runner --executor TYPE [options]

Executes queued runs in this terminal until you stop it. Each run that VS Code or another terminal queues in the same store
goes to the first runner that meets its demands. If the store has no coordinator, this process becomes the coordinator.
Prints one line for each event of a run. Ctrl-C stops the running agents, with everything they started, and exits.
Exit code 0: stopped by you; 2: could not start, for example because the same runner already exists.

  --executor TYPE    agent type; part of the runner's identity
  --tags A,B         tags of this runner, matched against the demands of runs
  --limit N          concurrent runs; default: 1
  --cwd DIR          working folder; part of the runner's identity; default: the current one
  --program PATH     path to the agent's program; default: searched for
  --speed N          speed of recordings; 2: twice as fast, 0: no delays
${storeHelp}`;

const options = {
  executor: { type: 'string' },
  tags: { type: 'string', multiple: true },
  limit: { type: 'string' },
  cwd: { type: 'string' },
  program: { type: 'string' },
  speed: { type: 'string' },
  store: { type: 'string' },
} as const;

const ended = 0;
const notStarted = 2;

export const runner: Command = {
  help,
  async run(args, context) {
    const { values } = parseOptions('runner', { args: [...args], options });
    const executor = executorOption('--executor', values.executor);
    const cwd = folderOf(context, values.cwd);
    const program = values.program === undefined ? undefined : path.resolve(context.cwd, values.program);
    const store = storeFolder(context, values.store);
    const registration = {
      hostname: hostname(),
      project_dir: cwd,
      executor_type: executor,
      tags: tagsOf(values.tags),
      limit: limitOf(values.limit),
    };
    const engine = createEngine(context, {
      store: values.store,
      tags: registration.tags,
      writes: true,
      agents: program === undefined ? {} : { [executor]: { program } },
      ...(values.speed !== undefined && { replaySpeed: numberOption('--speed', values.speed) }),
    });
    const say = sayer(context);
    const mine = new Set<string>();
    const deps = coordinatorDeps(context);
    const loop = new RunnerLoop({
      registration,
      join: async () => {
        const joined = await joinCoordinator(store, deps, { host: true });
        // Whose runner was killed left an agent behind, and a session that no one brought to its end.
        const sweepAfter = (run: Run): void => {
          if (run.status === 'failed' && run.runner_id !== undefined && !mine.has(run.run_id)) void engine.sweep();
        };
        if (joined.hosting) joined.link.onRun(sweepAfter);
        return joined;
      },
      execute: (job, started) =>
        executeJob(
          job,
          {
            engine,
            projectDir: cwd,
            blueprints: (folder) => trustedBlueprints(context, folder),
            use: { options: () => ({}), environment: context.env, input: inputOf(context) },
          },
          started,
        ),
      stop: ({ run }) => stopSessionTree(engine, run.session_id),
      log: deps.log,
      onJoined: ({ runner_id }, hosting) =>
        say(`${runner_id} registered for ${executor} in ${cwd}${hosting ? ', as coordinator' : ''}`),
      onRun: ({ run_id, session_id, status, error }) => {
        mine.add(run_id);
        say([run_id, session_id, status, error?.split('\n', 1)[0] ?? ''].join(' ').trimEnd());
      },
    });
    return work(context, loop, async () => {
      await engine.sweep();
      const mineToo = ({ project_dir, executor_type }: SessionSummary): boolean =>
        project_dir === cwd && executor_type === executor;
      await engine.children?.recover(mineToo);
    }).finally(() => engine.dispose());
  },
};

/** Writes lines until whoever read has gone: each more that failed would count as one more wish to end this at once. */
function sayer({ stdout }: CliContext): (line: string) => void {
  let heard = true;
  stdout.once('error', () => (heard = false));
  return (line) => {
    if (heard) stdout.write(`${visibleLine(line)}\n`);
  };
}

/** @throws UsageError */
function folderOf(context: CliContext, given = '.'): string {
  const folder = path.resolve(context.cwd, given);
  if (!isFolder(folder)) throw new UsageError(`Not a folder: ${folder} (--cwd).`, 'Specify the working folder.');
  return folder;
}

function isFolder(place: string): boolean {
  try {
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}

async function work(context: CliContext, loop: RunnerLoop, prepare: () => Promise<void>): Promise<number> {
  const interrupted = new Promise<void>((resolve) => {
    let times = 0;
    context.onInterrupt(() => {
      times += 1;
      if (times > 1) process.exit(notStarted);
      resolve();
    });
  });
  try {
    await prepare();
    await loop.start();
  } catch (error) {
    if (!CoordinatorError.is(error)) throw error;
    context.stderr.write(`vitrine: ${error.message}\n`);
    return notStarted;
  }
  await interrupted;
  await loop.close();
  return ended;
}

function tagsOf(given: readonly string[] = []): string[] {
  return given.flatMap((each) => each.split(',').map((tag) => tag.trim())).filter((tag) => tag !== '');
}

function limitOf(given: string | undefined): number {
  const limit = given === undefined ? 1 : numberOption('--limit', given);
  if (!Number.isInteger(limit) || limit < 1 || limit > 64)
    throw new UsageError(
      `"${given ?? ''}" is not a valid number of concurrent runs (--limit).`,
      'Use a number from 1 to 64.',
    );
  return limit;
}
