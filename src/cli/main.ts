#!/usr/bin/env node
import { UsageError, type CliContext, type Command, type InterruptCause } from './command.ts';
import { keepHeapSmall } from '../engine/heapLimit.ts';
import { version } from '../engine/packageInfo.ts';
import { TerminalText } from './print/terminalText.ts';

/** Commands in the order of `--help`. Each is loaded on demand. */
const commands: readonly { readonly name: string; readonly summary: string; load(): Promise<Command> }[] = [
  {
    name: 'normalize',
    summary: 'prints the transcript of a run from saved agent output',
    load: async () => (await import('./commands/records/normalize.ts')).normalize,
  },
  {
    name: 'result',
    summary: 'prints the result of a run from saved agent output',
    load: async () => (await import('./commands/runs/result.ts')).result,
  },
  {
    name: 'run',
    summary: 'runs an agent and records the session',
    load: async () => (await import('./commands/runs/run.ts')).run,
  },
  {
    name: 'fork',
    summary: 'continues a session from one of its prompts, as a new session',
    load: async () => (await import('./commands/runs/fork.ts')).fork,
  },
  {
    name: 'race',
    summary: 'runs several agents, each in its own worktree, and compares them',
    load: async () => (await import('./commands/runs/race.ts')).race,
  },
  {
    name: 'attach',
    summary: 'follows a background run, answers its requests, sends messages',
    load: async () => (await import('./commands/runs/attach.ts')).attach,
  },
  {
    name: 'events',
    summary: 'prints events of background runs as they happen',
    load: async () => (await import('./commands/runs/events.ts')).events,
  },
  {
    name: 'stop',
    summary: 'stops a background run',
    load: async () => (await import('./commands/runs/stop.ts')).stop,
  },
  {
    name: 'daemon',
    summary: 'shows or stops the daemon, which owns background runs, or prints its log',
    load: async () => (await import('./commands/daemon.ts')).daemon,
  },
  {
    name: 'replay',
    summary: 'replays saved agent output as a session',
    load: async () => (await import('./commands/runs/replay.ts')).replay,
  },
  {
    name: 'agents',
    summary: 'lists agent files and their problems',
    load: async () => (await import('./commands/agents.ts')).agents,
  },
  {
    name: 'runner',
    summary: 'executes queued runs',
    load: async () => (await import('./commands/runs/runner.ts')).runner,
  },
  {
    name: 'queue',
    summary: 'lists runners and queued runs, queues or stops a run',
    load: async () => (await import('./commands/runs/queue.ts')).queue,
  },
  {
    name: 'team',
    summary: 'shares sessions and runs with a team through PostgreSQL',
    load: async () => (await import('./commands/team.ts')).team,
  },
  {
    name: 'sessions',
    summary: 'lists sessions',
    load: async () => (await import('./commands/sessions.ts')).sessions,
  },
  {
    name: 'show',
    summary: 'prints the transcript or raw output of a session',
    load: async () => (await import('./commands/records/show.ts')).show,
  },
  {
    name: 'compare',
    summary: 'compares the results of sessions',
    load: async () => (await import('./commands/records/compare.ts')).compare,
  },
  {
    name: 'restore',
    summary: 'restores the files of a session as they were at a prompt',
    load: async () => (await import('./commands/records/restore.ts')).restore,
  },
  {
    name: 'search',
    summary: 'searches all sessions, including tool output',
    load: async () => (await import('./commands/records/search.ts')).search,
  },
  {
    name: 'usage',
    summary: 'adds up tokens and cost by day, model or agent',
    load: async () => (await import('./commands/usage.ts')).usage,
  },
  {
    name: 'export',
    summary: 'exports a session, with secrets masked',
    load: async () => (await import('./commands/records/export.ts')).exportCommand,
  },
  {
    name: 'import',
    summary: 'imports a record, messages or agent output as a session',
    load: async () => (await import('./commands/records/import.ts')).importCommand,
  },
  {
    name: 'verify',
    summary: 'verifies the integrity and signature of a record',
    load: async () => (await import('./commands/records/verify.ts')).verifyCommand,
  },
  {
    name: 'audit',
    summary: 'lists who ran what, with files, commands and decisions',
    load: async () => (await import('./commands/records/audit.ts')).auditCommand,
  },
  {
    name: 'mcp',
    summary: 'serves sessions and agents to other editors and agents',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  {
    name: 'doctor',
    summary: 'shows what Vitrine finds on this machine',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
];

const help = `Usage: vitrine <command> [options]

${commands.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`).join('\n')}

  --help      shows help, also for a command
  --version   shows the version of Vitrine
`;

const failed = 2;

async function main(args: readonly string[], context: CliContext): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h') {
    context.stdout.write(help);
    return name === undefined ? failed : 0;
  }
  if (name === '--version') {
    context.stdout.write(`${version()}\n`);
    return 0;
  }
  const command = await commands.find((candidate) => candidate.name === name)?.load();
  if (command === undefined) throw new UsageError(`Unknown command: "${name}".`, 'See "vitrine --help".');
  const options = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (options.includes('--help') || options.includes('-h')) {
    context.stdout.write(command.help);
    return 0;
  }
  return command.run(rest, context);
}

const interruptible = new Set<(cause: InterruptCause) => void>();

function onInterrupt(listener: (cause: InterruptCause) => void): () => void {
  const interrupt = (): void => listener('interrupt');
  const hangUp = (): void => listener('hangup');
  const signals = { SIGINT: interrupt, SIGTERM: interrupt, SIGHUP: hangUp };
  for (const [signal, receive] of Object.entries(signals)) process.on(signal, receive);
  interruptible.add(listener);
  return () => {
    for (const [signal, receive] of Object.entries(signals)) process.off(signal, receive);
    interruptible.delete(listener);
  };
}

const { stdin, stdout } = process;
const stderr = new TerminalText(process.stderr);
let isReported = false;
// A reader that stops early (`| head`) is not a failure; ends the command properly.
stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  const isEnough = code === 'EPIPE';
  if (!isEnough && !isReported) stderr.write(`vitrine: The output cannot be written: ${message}\n`);
  isReported = true;
  if (interruptible.size === 0) process.exit(isEnough ? 0 : failed);
  // A closed terminal may be noticed here before the signal arrives.
  for (const listener of interruptible) listener(stdout.isTTY ? 'hangup' : 'interrupt');
});
// Without stderr, only the exit code remains.
process.stderr.on('error', () => undefined);

keepHeapSmall();
try {
  const { env } = process;
  const context = {
    stdin,
    stdout: new TerminalText(stdout),
    stderr,
    cwd: process.cwd(),
    now: Date.now,
    env,
    onInterrupt,
  };
  process.exitCode = await main(process.argv.slice(2), context);
} catch (error) {
  stderr.write(UsageError.is(error) ? `vitrine: ${error.message} ${error.next}\n` : `vitrine: ${String(error)}\n`);
  process.exitCode = failed;
}
