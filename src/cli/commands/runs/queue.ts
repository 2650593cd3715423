import { connect } from '../../../client/connect.ts';
import { DaemonError } from '../../../client/errors.ts';
import { RemoteQueue } from '../../../client/queue/remoteQueue.ts';
import { CoordinatorError } from '../../../coordinator/errors.ts';
import { waitingText } from '../../../coordinator/waiting.ts';
import type { ListedRunner } from '../../../model/session/runner.ts';
import { runIdSchema, type Run } from '../../../model/session/session.ts';
import type { ListedRun } from '../../../model/session/waiting.ts';
import type { ChangedRun } from '../../../protocol/daemon/queue.ts';
import { englishNumbers } from '../../../text/numberFormat.ts';
import { parseOptions } from '../../options/args.ts';
import { readPrompt } from '../../options/prompt.ts';
import { UsageError, type CliContext, type Command } from '../../command.ts';
import { connectOptions, withDaemonErrors } from '../../run/daemon.ts';
import { storeHelp } from '../../run/engine.ts';
import { RunEnds } from '../../run/queuedRun.ts';
import { writeLines } from '../../print/output.ts';
import { requestOf } from './queueRequest.ts';
import { visibleLine } from '../../../model/text/visibleText.ts';

const help = `Usage: vitrine queue [options]
       vitrine queue add [--blueprint NAME|--executor TYPE|--resume ses_…] [options] PROMPT|-
       vitrine queue first|last run_…
       vitrine queue stop run_…

Lists runners and runs, queues a run, moves a waiting run, or stops one. A queued run waits for a runner: a VS Code window
or "vitrine runner". If no suitable runner is online for five minutes, the run fails and says why. Busy runners
count as online.
Exit code 0: done; 1: with --wait, the run did not complete; 2: the run was rejected.

  --blueprint NAME   agent file (see "vitrine agents"); the runner must also meet its demands
  --executor TYPE    agent type; default: that of the session, or the only one that runners offer
  --resume ses_…     resumes a session
  --parent ses_…     parent of the new session; with --team, it must share at least its metadata with the team
  --mode MODE        how the parent gets the result: sync, async_poll, or async_callback, which resumes it with the result
  --cwd DIR          working folder; default: that of the session, of the agent file, or of the runner
  --model NAME       model, as the agent names it
  --demand KEY=VALUE required hostname, project_dir, executor_type or tag of the runner, such as tag=gpu; can be repeated
  --team             runs on any machine in the team; without --cwd, in the folder of the runner
  --retry            with --team, without --parent: if its runner is lost, another runner executes the run
  --wait             waits until the run ends
  --json             one runner or run per line as JSON
${storeHelp}`;

const options = {
  blueprint: { type: 'string' },
  executor: { type: 'string' },
  resume: { type: 'string' },
  cwd: { type: 'string' },
  model: { type: 'string' },
  parent: { type: 'string' },
  mode: { type: 'string' },
  demand: { type: 'string', multiple: true },
  team: { type: 'boolean' },
  retry: { type: 'boolean' },
  wait: { type: 'boolean' },
  json: { type: 'boolean' },
  store: { type: 'string' },
} as const;

/** Options that are not only for `queue add`. */
const commonOptions: ReadonlySet<string> = new Set(['json', 'store']);

const done = 0;
const notCompleted = 1;
const exitCodeIfRefused = 2;

type Values = ReturnType<typeof parse>['values'];
type PrintRun = (run: Run) => Promise<void>;

export const queue: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parse(args);
    const [what = 'list', subject, ...others] = positionals;
    const json = values.json === true;
    const show: PrintRun = async (run) =>
      json ? writeLines(context.stdout, [run]) : void context.stdout.write(`${runRow(run)}\n`);
    if (what === 'list') {
      assertNoOthers(subject === undefined ? [] : [subject], values);
      return list(context, values.store, json);
    }
    if (subject === undefined || !['add', 'stop', 'first', 'last'].includes(what))
      throw new UsageError(`"queue ${what}" is unknown or incomplete.`, 'See "vitrine queue --help".');
    if (what === 'stop' || what === 'first' || what === 'last') {
      assertNoOthers(others, values);
      if (!runIdSchema.safeParse(subject).success)
        throw new UsageError(`"${subject}" is not a run ID.`, 'See "vitrine queue" for run IDs.');
      return callCoordinator(context, values.store, async (queued) => {
        await show(
          await (what === 'stop' ? queued.stopRun(subject) : queued.changeRun({ run_id: subject, move: what })),
        );
        return done;
      });
    }
    if (others.length > 0) throw new UsageError('There is more than one prompt.', 'Put the prompt in quotes.');
    return add(context, subject, values, show);
  },
};

function parse(args: readonly string[]) {
  return parseOptions('queue', { args: [...args], options, allowPositionals: true });
}

/** Refuses options that only `queue add` uses. @throws UsageError */
function assertNoOthers(others: readonly string[], values: Values): void {
  const ignoredOption = Object.keys(values).find((name) => !commonOptions.has(name));
  if (ignoredOption !== undefined)
    throw new UsageError(`--${ignoredOption} works only with "queue add".`, 'Remove it.');
  const [first] = others;
  if (first !== undefined) throw new UsageError(`Unexpected argument: "${first}".`, 'See "vitrine queue --help".');
}

function list(context: CliContext, store: string | undefined, json: boolean): Promise<number> {
  return callCoordinator(context, store, async (queued) => {
    const [runners, runs] = [await queued.runners(), await queued.runs()];
    if (json) await writeLines(context.stdout, [...runners, ...runs]);
    else for (const row of [...runners.map(runnerRow), ...runs.map(listedRow)]) context.stdout.write(`${row}\n`);
    return done;
  });
}

async function add(context: CliContext, promptArgument: string, values: Values, show: PrintRun): Promise<number> {
  const request = await requestOf(context, values);
  const prompt = await readPrompt(promptArgument, context);
  return callCoordinator(context, values.store, async (queued, ended) => {
    const waitForEnd = values.wait === true ? await ended() : undefined;
    const run = await queued.createRun({ ...request, prompt });
    await show(run);
    if (run.waiting !== undefined)
      context.stderr.write(`vitrine: ${run.run_id} waits: ${visibleLine(waitingText(run.waiting))}.\n`);
    if (waitForEnd === undefined) return done;
    const last = await waitForEnd(run.run_id);
    await show({ ...last, prompt });
    if (last.error !== undefined) context.stderr.write(`vitrine: ${visibleLine(oneLine(last.error))}\n`);
    return last.status === 'completed' ? done : notCompleted;
  });
}

/** Waits for the end of a run that is queued after this resolved. */
type WatchRuns = () => Promise<(runId: string) => Promise<ChangedRun>>;

async function callCoordinator(
  context: CliContext,
  store: string | undefined,
  say: (queued: RemoteQueue, ended: WatchRuns) => Promise<number>,
): Promise<number> {
  const ends = new RunEnds();
  const onNews = ({ runs }: { readonly runs: readonly ChangedRun[] }): Promise<void> => {
    for (const run of runs) ends.add(run);
    return Promise.resolve();
  };
  const connection = await withDaemonErrors(() => connect({ ...connectOptions(context, { store }), onNews }));
  const disconnected = connection.closed.then(() => {
    throw new DaemonError('unreachable', 'The Vitrine daemon exited.');
  });
  disconnected.catch(() => undefined);
  const ended: WatchRuns = async () => {
    await connection.call('watch', { events: false, runs: true });
    return (id) => ends.whenEnded(id);
  };
  try {
    return await Promise.race([say(new RemoteQueue(connection), ended), disconnected]);
  } catch (error) {
    if (!CoordinatorError.is(error) && !DaemonError.is(error)) throw error;
    context.stderr.write(`vitrine: ${error.message}\n`);
    return exitCodeIfRefused;
  } finally {
    connection.close();
  }
}

function runnerRow({
  runner_id,
  status,
  seconds_since_heartbeat,
  executor_type,
  tags,
  project_dir,
}: ListedRunner): string {
  const heartbeat = `${status} ${englishNumbers.duration(Math.floor(seconds_since_heartbeat) * 1000)}`;
  return row([
    runner_id,
    heartbeat.padEnd(12),
    executor_type.padEnd(12),
    project_dir,
    tags.map((tag) => `#${tag}`).join(' '),
  ]);
}

function runRow({ run_id, status, session_id, agent_name, runner_id, prompt, error }: Run): string {
  const [line = ''] = prompt.trim().split('\n', 1);
  const about = error === undefined ? Array.from(line).slice(0, 60).join('') : oneLine(error);
  return row([run_id, status.padEnd(9), session_id, (runner_id ?? '-').padEnd(17), agent_name ?? '-', about]);
}

function listedRow(run: ListedRun): string {
  const why = run.waiting === undefined ? '' : `  (${visibleLine(waitingText(run.waiting))})`;
  return runRow(run) + why;
}

function oneLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}

function row(cells: readonly string[]): string {
  return visibleLine(cells.join('  ').trimEnd());
}
