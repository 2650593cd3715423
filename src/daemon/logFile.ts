import { appendFileSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Disposable, Log } from '../engine/api.ts';

/** If the log is larger at the start of a daemon, it is moved to `daemon.log.old`; in bytes. */
const maxBytes = 5 << 20;

/** Path of the log in the daemon's folder. */
export function logPath(folder: string): string {
  return path.join(folder, 'daemon.log');
}

/** Appends one line per message, synchronously: lines are few, and the last one before a crash matters most. */
export function openLog(folder: string, now: () => Date): Log {
  const file = logPath(folder);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxBytes) renameSync(file, `${file}.old`);
  const line =
    (level: string) =>
    (message: string): void => {
      try {
        appendFileSync(file, `${now().toISOString()} ${level} ${message}\n`, { mode: 0o600 });
      } catch {
        // The disk is full or the folder was deleted, and there is nowhere else to report it.
      }
    };
  return { debug: () => undefined, info: line('info'), warn: line('warn'), error: line('error') };
}

/** Logs rejections that no code handles. By default they would end the process, with the runs of all clients. */
export function logUnhandledRejections(log: Pick<Log, 'error'>): Disposable {
  const report = (reason: unknown): void =>
    log.error(`Unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`);
  process.on('unhandledRejection', report);
  return { dispose: () => process.off('unhandledRejection', report) };
}
