import { readFile } from 'node:fs/promises';
import type { DaemonStatus } from '../../protocol/daemon/calls.ts';
import { daemonLogFile } from '../../client/machine/logFile.ts';
import { parseOptions } from '../options/args.ts';
import { UsageError, type CliContext, type Command } from '../command.ts';
import { runningDaemons, withDaemonErrors } from '../run/daemon.ts';
import { storeFolder, storeHelp } from '../run/engine.ts';
import { writeLines } from '../print/output.ts';
import { visibleLine } from '../../model/text/visibleText.ts';

const help = `Usage: vitrine daemon status [options]
       vitrine daemon stop [--now] [options]
       vitrine daemon logs [options]

The daemon is the background process that owns detached runs. The first "vitrine run --detach" starts it. It exits 60 seconds
after the last client disconnects and the last run ends.

  status             shows whether it is running, its version, clients and runs
  stop               stops it when its running agents finish; until then, it accepts no new runs
  logs               prints its log

  --now              stops the running agents and exits
  --json             status as {pid, version, protocol, since, clients, runs, rss}, or null if none is running; the log as
                     {at, level, message}. A daemon of another version that still has runs is printed on its own line
${storeHelp}
Exit code 0: done; 1: no daemon is running (status, stop) or no log exists (logs).
`;

const options = {
  store: { type: 'string' },
  json: { type: 'boolean' },
  now: { type: 'boolean' },
} as const;

const done = 0;
const notRunning = 1;

export const daemon: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('daemon', { args: [...args], options, allowPositionals: true });
    const [action, ...others] = positionals;
    if (others.length > 0) throw new UsageError('Specify one action.', 'Use "status", "stop" or "logs".');
    if (values.now === true && action !== 'stop') throw new UsageError('--now applies only to "stop".', 'Remove it.');
    switch (action) {
      case 'status':
        return printStatus(context, values.store, values.json === true);
      case 'stop':
        return stopDaemons(context, values.store, values.now === true);
      case 'logs':
        return logs(context, values.store, values.json === true);
      default:
        throw new UsageError('Specify an action.', 'Use "status", "stop" or "logs".');
    }
  },
};

async function printStatus(context: CliContext, store: string | undefined, json: boolean): Promise<number> {
  const daemons = await runningDaemons(context, { store });
  const found: DaemonStatus[] = [];
  for (const daemon of daemons) {
    const shown = await withDaemonErrors(() => daemon.call('status', {}));
    daemon.close();
    // Excludes this command, which is a client, too.
    found.push({ ...shown, clients: shown.clients - 1 });
  }
  if (json) await writeLines(context.stdout, found.length === 0 ? [null] : found);
  else context.stdout.write(`${found.length === 0 ? 'No daemon is running.' : found.map(describe).join('\n\n')}\n`);
  return found.length === 0 ? notRunning : done;
}

function describe({ pid, version, protocol, since, clients, runs, rss }: DaemonStatus): string {
  return [
    `Vitrine ${version} daemon, process ${pid}, running since ${since}`,
    `Protocol:       ${protocol}`,
    `Clients:        ${clients}`,
    `Running agents: ${runs}`,
    `Memory:         ${Math.round(rss / 1e6)} MB`,
  ].join('\n');
}

async function stopDaemons(context: CliContext, store: string | undefined, now: boolean): Promise<number> {
  const daemons = await runningDaemons(context, { store });
  if (daemons.length === 0) {
    context.stdout.write('No daemon is running.\n');
    return notRunning;
  }
  for (const daemon of daemons) {
    const { runs } = await withDaemonErrors(() => daemon.call('retire', { when: now ? 'now' : 'idle' }));
    if (now || runs === 0) {
      await daemon.closed;
      context.stdout.write('The daemon has stopped.\n');
    } else {
      daemon.close();
      context.stdout.write(`The daemon stops when its running agents finish: ${runs}. To stop them now: --now.\n`);
    }
  }
  return done;
}

async function logs(context: CliContext, store: string | undefined, json: boolean): Promise<number> {
  const file = daemonLogFile(storeFolder(context, store));
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) {
    context.stderr.write(`vitrine: No log found: ${file}\n`);
    return notRunning;
  }
  const lines = text.split('\n').filter((line) => line !== '');
  if (json) await writeLines(context.stdout, lines.map(logLine));
  else for (const line of lines) context.stdout.write(`${visibleLine(line)}\n`);
  return done;
}

/** A line without a time continues the message before it. */
function logLine(line: string): {
  readonly at: string | null;
  readonly level: string | null;
  readonly message: string;
} {
  const [, at, level, message] = /^(\d{4}-\S+Z) (\w+) (.*)$/s.exec(line) ?? [];
  return { at: at ?? null, level: level ?? null, message: message ?? line };
}
