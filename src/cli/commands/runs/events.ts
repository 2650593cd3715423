import { once } from 'node:events';
import { connect } from '../../../client/connect.ts';
import { DaemonError } from '../../../client/errors.ts';
import type { CoordinatorEvent } from '../../../model/transcript/event.ts';
import { UsageError, type Command } from '../../command.ts';
import { parseOptions } from '../../options/args.ts';
import { writeLines } from '../../print/output.ts';
import { connectOptions, withDaemonErrors } from '../../run/daemon.ts';
import { storeHelp } from '../../run/engine.ts';

const help = `Usage: vitrine events --follow [ses_…] [options]

Prints events of background runs as they happen, one per line as JSON, until Ctrl-C. Fields: session_id, timestamp and
event_type (session_start, pre_tool, post_tool, session_stop, message). An automatic message has metadata.synthetic.
Without a session, prints events of all sessions. For past events: vitrine export --format events.

  --follow           required: prints events as they happen
${storeHelp}`;

const options = { store: { type: 'string' }, follow: { type: 'boolean' } } as const;

export const events: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('events', { args: [...args], options, allowPositionals: true });
    const [session, ...others] = positionals;
    if (others.length > 0)
      throw new UsageError('Specify one session.', 'Without one, events of all sessions are printed.');
    if (values.follow !== true)
      throw new UsageError('Add --follow.', 'For past events: vitrine export --format events.');
    const isWanted = ({ session_id: id }: CoordinatorEvent): boolean => session === undefined || id === session;
    const stop = new AbortController();
    const interrupted = new Promise<void>((resolve) => context.onInterrupt(() => resolve()));
    // The reader of stdout has gone.
    const unread = once(context.stdout, 'close').then(() => undefined);
    const ended = Promise.race([interrupted, unread]).then(() => stop.abort());
    const onNews = ({ events: newEvents }: { readonly events: readonly CoordinatorEvent[] }): Promise<void> =>
      writeLines(context.stdout, newEvents.filter(isWanted));
    // A daemon that exits is started again, and so is one that another version replaces.
    while (!stop.signal.aborted) {
      const daemon = await withDaemonErrors(() =>
        connect({ ...connectOptions(context, { store: values.store }), onNews }),
      );
      try {
        await daemon.call('watch', { events: true });
        context.stderr.write('Following events. Press Ctrl-C to stop following.\n');
      } catch (error) {
        if (!DaemonError.is(error, 'unreachable')) throw error;
      }
      await Promise.race([daemon.closed, ended]);
      daemon.close();
    }
    return 0;
  },
};
