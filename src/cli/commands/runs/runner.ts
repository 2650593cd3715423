import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { connect } from '../../../client/connect.ts';
import type { DaemonConnection } from '../../../client/connection.ts';
import { DaemonError } from '../../../client/errors.ts';
import { DaemonLink } from '../../../client/reconnectingLink.ts';
import { isRunOver } from '../../../model/session/status.ts';
import type { GivenParams, News } from '../../../protocol/daemon/calls.ts';
import { numberOption, parseOptions } from '../../options/args.ts';
import { UsageError, type CliContext, type Command } from '../../command.ts';
import { clientContext } from '../../run/requestedRun.ts';
import { connectOptions, withDaemonErrors } from '../../run/daemon.ts';
import { storeHelp } from '../../run/engine.ts';
import { executorOption } from '../../options/executorOptions.ts';
import { visibleLine } from '../../../model/text/visibleText.ts';

const help = `Usage: vitrine runner --executor TYPE [options]

Lets the Vitrine daemon execute queued runs until you stop this command. Each run that VS Code or a terminal queues in
the same store goes to the first runner that meets its demands. Prints one line for each event of a run.
Ctrl-C stops the running agents, with everything they started, and exits. If this terminal is closed or killed, they
finish in the daemon.
Exit code 0: stopped by you; 2: could not start.

  --executor TYPE    agent type
  --tags A,B         tags of this runner, matched against the demands of runs
  --limit N          concurrent runs; default: 1
  --cwd DIR          working folder for runs that do not specify one; default: the current one
  --program PATH     path to the agent's program; default: Vitrine searches for it
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
    const tags = tagsOf(values.tags);
    const registration = {
      hostname: hostname(),
      project_dir: cwd,
      executor_type: executor,
      tags,
      limit: limitOf(values.limit),
    };
    const settings = clientContext(context, cwd, {
      store: values.store,
      agents: program === undefined ? {} : { [executor]: { program } },
      ...(values.speed !== undefined && { replaySpeed: numberOption('--speed', values.speed) }),
    });
    const declared = new DeclaredRunner({ runner: registration, context: { ...settings, tags } }, linePrinter(context));
    const link = new DaemonLink<DaemonError>({
      connect: () =>
        connect({ ...connectOptions(context, { store: values.store }), onNews: (news) => declared.handleNews(news) }),
      prepare: (connection) => declared.declare(connection),
      failure: (failure) => new DaemonError(failure.code, failure.message, failure.detail, failure),
      log: { warn: (message) => void context.stderr.write(`vitrine: ${message}\n`) },
    });
    try {
      await withDaemonErrors(() => link.connection());
      await waitForInterrupt(context);
      await declared.stop(link);
      return ended;
    } finally {
      link.close();
    }
  },
};

/** Declares to the daemon what it may run for this terminal, and prints a line for each change. */
class DeclaredRunner {
  readonly #params: GivenParams<'addRunner'>;
  readonly #print: (line: string) => void;
  /** Runs whose end was not printed yet. */
  readonly #activeRuns = new Set<string>();
  #id: string | undefined;
  #onIdle: (() => void) | undefined;

  constructor(params: GivenParams<'addRunner'>, say: (line: string) => void) {
    this.#params = params;
    this.#print = say;
  }

  /**
   * Declares the runner; if its daemon is lost, declares it to the next one. The runs of the lost daemon have ended. @throws DaemonError
   */
  async declare(connection: DaemonConnection): Promise<void> {
    this.#activeRuns.clear();
    await connection.call('watch', { events: false, runs: true });
    const { runner_id, executor_type, project_dir } = await connection.call('addRunner', this.#params);
    this.#id = runner_id;
    this.#print(`${runner_id} registered for ${executor_type} in ${project_dir}`);
  }

  handleNews({ runs }: News): Promise<void> {
    for (const { run_id, session_id, status, runner_id, error } of runs) {
      if (runner_id === undefined || runner_id !== this.#id) continue;
      this.#print([run_id, session_id, status, error?.split('\n', 1)[0] ?? ''].join(' ').trimEnd());
      if (isRunOver(status)) this.#activeRuns.delete(run_id);
      else this.#activeRuns.add(run_id);
    }
    if (this.#activeRuns.size === 0) this.#onIdle?.();
    return Promise.resolve();
  }

  /** Resolves when its runs have stopped and their ends are printed. */
  async stop(link: DaemonLink<DaemonError>): Promise<void> {
    const connection = await link.connection();
    await connection.call('removeRunners', { finish: false });
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (this.#activeRuns.size === 0) resolve();
    });
    await Promise.race([idle, connection.closed]);
  }
}

/** Writes lines until the reader has gone, because each further failed write would count as an interrupt. */
function linePrinter({ stdout }: CliContext): (line: string) => void {
  let isOpen = true;
  stdout.once('error', () => (isOpen = false));
  return (line) => {
    if (isOpen) stdout.write(`${visibleLine(line)}\n`);
  };
}

/** @throws UsageError */
function folderOf(context: CliContext, option = '.'): string {
  const folder = path.resolve(context.cwd, option);
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

/** Resolves at the first interrupt. A second one ends the process at once. */
function waitForInterrupt(context: CliContext): Promise<void> {
  return new Promise((resolve) => {
    let times = 0;
    context.onInterrupt(() => {
      times += 1;
      if (times > 1) process.exit(notStarted);
      resolve();
    });
  });
}

function tagsOf(lists: readonly string[] = []): string[] {
  return lists.flatMap((list) => list.split(',').map((tag) => tag.trim())).filter((tag) => tag !== '');
}

function limitOf(value: string | undefined): number {
  const limit = value === undefined ? 1 : numberOption('--limit', value);
  if (!Number.isInteger(limit) || limit < 1 || limit > 64)
    throw new UsageError(
      `"${value ?? ''}" is not a valid number of concurrent runs (--limit).`,
      'Use a number from 1 to 64.',
    );
  return limit;
}
