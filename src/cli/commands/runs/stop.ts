import { parseOptions } from '../../options/args.ts';
import { UsageError, type Command } from '../../command.ts';
import { RemoteQueue } from '../../../client/queue/remoteQueue.ts';
import { isRunOver } from '../../../model/session/status.ts';
import { isSameProtocol, runningDaemons, withDaemonErrors } from '../../run/daemon.ts';
import { storeHelp } from '../../run/engine.ts';

const help = `Usage: vitrine stop ses_… [options]

Stops a session that is running in the daemon, with everything its agent started. Returns when all processes have exited.
If the session is waiting in the queue, removes it from the queue instead.
Exit code 0: stopped; 1: the session is neither running in the daemon nor waiting in its queue.

  --kill             kills the agent without asking it to exit first
${storeHelp}`;

const options = { store: { type: 'string' }, kill: { type: 'boolean' } } as const;

const stopped = 0;
const notRunning = 1;

export const stop: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('stop', { args: [...args], options, allowPositionals: true });
    const [session_id, ...others] = positionals;
    if (session_id === undefined || others.length > 0)
      throw new UsageError('Specify one session.', 'See "vitrine sessions" for session IDs.');
    const daemons = await runningDaemons(context, { store: values.store });
    try {
      for (const daemon of daemons) {
        const running = await withDaemonErrors(() => daemon.call('running', {}));
        if (!running.some((session) => session.session_id === session_id)) continue;
        await withDaemonErrors(() => daemon.call('stop', { session_id, kill: values.kill === true }));
        return stopped;
      }
      for (const daemon of daemons.filter(isSameProtocol)) {
        const queue = new RemoteQueue(daemon);
        const runs = await withDaemonErrors(() => queue.runs({ session_id }));
        const waiting = runs.find(({ status }) => !isRunOver(status));
        if (waiting === undefined) continue;
        await withDaemonErrors(() => queue.stopRun(waiting.run_id));
        return stopped;
      }
    } finally {
      for (const daemon of daemons) daemon.close();
    }
    context.stderr.write(`vitrine: ${session_id} is neither running in the background nor waiting in the queue.\n`);
    return notRunning;
  },
};
