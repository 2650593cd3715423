import { isSynthetic } from '../../model/transcript/synthetic.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { SessionSnapshot } from '../../protocol/daemon/session.ts';
import { FollowedTranscript } from '../attach/transcript.ts';
import type { CliContext } from '../command.ts';
import { startedDaemon, withDaemonErrors } from '../run/daemon.ts';
import { entryText } from './entryText.ts';
import { writeLines } from './output.ts';

interface FollowOptions {
  /** `--store` as given. */
  readonly store: string | undefined;
  /** Continues after the end of the run. */
  readonly keeps: boolean;
  readonly json: boolean;
  /** Includes follow-ups and callbacks; `json` always does. */
  readonly synthetic: boolean;
}

const done = 0;
const exitCodeIfLost = 2;

/** Prints a session and follows it until the run ends or Ctrl-C. @throws UsageError */
export async function followSession(context: CliContext, sessionId: string, options: FollowOptions): Promise<number> {
  const connection = await startedDaemon(context, { store: options.store });
  const print = (entry: NormalizedEntry): Promise<void> => {
    if (options.json) return writeLines(context.stdout, [entry]);
    if (options.synthetic || !isSynthetic(entry)) context.stdout.write(`${entryText(entry)}\n\n`);
    return Promise.resolve();
  };
  let end: (code: number) => void = () => undefined;
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const stopListening = context.onInterrupt(() => end(done));
  void connection.closed.then(() => end(exitCodeIfLost));
  try {
    const transcript = new FollowedTranscript(connection, sessionId, print, options.json ? undefined : entryText);
    let work = Promise.resolve();
    const enqueue = (step: () => Promise<void>, { live }: SessionSnapshot): Promise<void> => {
      work = work.then(step).then(() => {
        if (!live && !options.keeps) end(done);
      });
      work.catch(() => end(exitCodeIfLost));
      return work;
    };
    await withDaemonErrors(async () => {
      const { state } = await connection.follow(sessionId, (update) =>
        enqueue(() => transcript.update(update), update.state),
      );
      await enqueue(() => transcript.begin(state), state);
    });
    const code = await ended;
    if (code === exitCodeIfLost)
      context.stderr.write('vitrine: The daemon has exited. The session is saved. Run the command again.\n');
    return code;
  } finally {
    stopListening();
    connection.close();
  }
}
