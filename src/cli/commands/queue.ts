import { text } from 'node:stream/consumers';
import path from 'node:path';
import type { CoordinatorLink, CreateRun } from '../../coordinator/api.ts';
import { CoordinatorError } from '../../coordinator/errors.ts';
import { executorOf, findBlueprint } from '../../engine/blueprints/request.ts';
import { joinCoordinator } from '../../engine/coordinator/join.ts';
import { EngineFailure } from '../../engine/failures.ts';
import type { Demands } from '../../model/demands.ts';
import type { ListedRunner } from '../../model/runner.ts';
import type { Run } from '../../model/session.ts';
import { isRunOver } from '../../model/status.ts';
import { parseOptions } from '../args.ts';
import { blueprintsOf } from '../blueprints.ts';
import { UsageError, type CliContext, type Command } from '../command.ts';
import { coordinatorDeps } from '../coordinator.ts';
import { storeFolder, storeHelp } from '../engine.ts';
import { executorOption } from '../executorOption.ts';
import { writeLines } from '../output.ts';

const help = `Usage: vitrine queue [options]
       vitrine queue add --blueprint NAME|--executor TYPE|--resume ses_… [options] PROMPT|-
       vitrine queue stop run_…

Shows runners and runs, queues a run for one of them, or stops one. Somebody has to coordinate: see "vitrine runner".
A run that demands something fails where no runner that has it takes it within five minutes.
Exit code 0: done; 1: with --wait, the run did not complete; 2: nobody coordinates, or it was refused.

  --blueprint NAME   an agent that is a file: see "vitrine agents"; its demands count
  --executor TYPE    which kind of agent
  --resume ses_…     goes on with a session; its executor has to be given
  --cwd DIR          folder the run works in; default: the current one
  --model NAME       model, in the agent's own words
  --demand KEY=VALUE hostname, project_dir or executor_type that the runner has to have, or a tag: tag=gpu. Several times
  --wait             ends when the run is over
  --json             one runner or run per line as JSON
${storeHelp}`;

const options = {
  blueprint: { type: 'string' },
  executor: { type: 'string' },
  resume: { type: 'string' },
  cwd: { type: 'string' },
  model: { type: 'string' },
  demand: { type: 'string', multiple: true },
  wait: { type: 'boolean' },
  json: { type: 'boolean' },
  store: { type: 'string' },
} as const;

const done = 0;
const notCompleted = 1;
const refused = 2;

export const queue: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('queue', { args: [...args], options, allowPositionals: true });
    const [what = 'list', given] = positionals;
    const json = values.json === true;
    if (what === 'list') {
      return speak(context, values.store, async (link) => {
        const [runners, runs] = [await link.runners(), await link.runs()];
        if (json) await writeLines(context.stdout, [...runners, ...runs]);
        else for (const row of [...runners.map(runnerRow), ...runs.map(runRow)]) context.stdout.write(`${row}\n`);
        return done;
      });
    }
    if (given === undefined || (what !== 'add' && what !== 'stop'))
      throw new UsageError(`"queue ${what}" is no whole command.`, 'See "vitrine queue --help".');
    const show = async (run: Run): Promise<void> =>
      json ? writeLines(context.stdout, [run]) : void context.stdout.write(`${runRow(run)}\n`);
    if (what === 'stop') {
      return speak(context, values.store, async (link) => {
        await show(await link.stopRun(given));
        return done;
      });
    }
    const prompt = given === '-' ? await text(context.stdin) : given;
    if (prompt.trim() === '') throw new UsageError('The prompt is empty.', 'Say what the agent is to do.');
    const cwd = path.resolve(context.cwd, values.cwd ?? '.');
    const request = { ...(await requestOf(context, cwd, values)), prompt };
    return speak(context, values.store, async (link) => {
      const over = watch(link);
      const run = await link.createRun(request);
      await show(run);
      if (values.wait !== true) return done;
      const last = await over(run.run_id);
      await show(last);
      return last.status === 'completed' ? done : notCompleted;
    });
  },
};

async function speak(
  context: CliContext,
  store: string | undefined,
  say: (link: CoordinatorLink) => Promise<number>,
): Promise<number> {
  try {
    const joined = await joinCoordinator(storeFolder(context, store), coordinatorDeps(context), { host: false });
    try {
      const gone = joined.gone.then(() => {
        throw new CoordinatorError('unreachable', 'The coordinator ended.');
      });
      gone.catch(() => undefined);
      return await Promise.race([say(joined.link), gone]);
    } finally {
      await joined.close();
    }
  } catch (error) {
    if (!CoordinatorError.is(error)) throw error;
    context.stderr.write(`vitrine: ${error.message}\n`);
    return refused;
  }
}

/** Listens from now on, so that no end is missed. */
function watch(link: CoordinatorLink): (runId: string) => Promise<Run> {
  const ended = new Map<string, Run>();
  const waiting = new Map<string, (run: Run) => void>();
  link.onRun((run) => {
    if (!isRunOver(run.status)) return;
    ended.set(run.run_id, run);
    waiting.get(run.run_id)?.(run);
  });
  return (id) =>
    new Promise((resolve) => {
      const run = ended.get(id);
      if (run === undefined) waiting.set(id, resolve);
      else resolve(run);
    });
}

interface Values {
  readonly blueprint?: string | undefined;
  readonly executor?: string | undefined;
  readonly resume?: string | undefined;
  readonly model?: string | undefined;
  readonly demand?: readonly string[] | undefined;
}

async function requestOf(context: CliContext, cwd: string, values: Values): Promise<Omit<CreateRun, 'prompt'>> {
  const { blueprint, executor, resume, model } = values;
  const additional_demands = demandsOf(values.demand);
  const common = {
    project_dir: cwd,
    ...(model !== undefined && { model }),
    ...(additional_demands !== undefined && { additional_demands }),
  };
  if (blueprint === undefined) {
    const executor_type = executorOption('--executor', executor);
    if (resume === undefined) return { ...common, executor_type };
    return { ...common, executor_type, type: 'resume_session', session_id: resume };
  }
  if ((executor ?? resume) !== undefined)
    throw new UsageError('--blueprint says which agent it is.', 'Leave out --executor and --resume.');
  try {
    const agent = findBlueprint(await blueprintsOf(context, cwd), blueprint);
    const { demands, executor_profile } = agent;
    return {
      ...common,
      agent_name: agent.name,
      executor_type: executorOf(agent),
      ...(executor_profile !== undefined && { executor_profile }),
      ...(demands !== undefined && { demands }),
    };
  } catch (error) {
    throw EngineFailure.is(error) ? new UsageError(error.message, error.detail) : error;
  }
}

function demandsOf(given: readonly string[] = []): Demands | undefined {
  if (given.length === 0) return undefined;
  const demands: Demands = { tags: [] };
  for (const each of given) {
    const [key, value] = [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)];
    if (key === 'tag') demands.tags.push(value);
    else if (key === 'hostname' || key === 'project_dir' || key === 'executor_type') demands[key] = value;
    else throw new UsageError(`"${each}" is no demand (--demand).`, 'Give one such as tag=gpu or hostname=builder.');
  }
  return demands;
}

function runnerRow({
  runner_id,
  status,
  seconds_since_heartbeat,
  executor_type,
  tags,
  project_dir,
}: ListedRunner): string {
  const heard = `${status} ${Math.floor(seconds_since_heartbeat)}s`;
  return [runner_id, heard.padEnd(12), executor_type.padEnd(12), project_dir, tags.map((tag) => `#${tag}`).join(' ')]
    .join('  ')
    .trimEnd();
}

function runRow({ run_id, status, session_id, agent_name, runner_id, prompt, error }: Run): string {
  const [line = ''] = prompt.trim().split('\n', 1);
  const about = error ?? Array.from(line).slice(0, 60).join('');
  return [run_id, status.padEnd(9), session_id, (runner_id ?? '-').padEnd(17), agent_name ?? '-', about]
    .join('  ')
    .trimEnd();
}
