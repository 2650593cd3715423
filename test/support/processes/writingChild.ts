/** Starts and controls recordChild.ts or a whole engine in another process. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';

const script = path.resolve('test/support/processes/recordChild.ts');

export interface WritingChild {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly said: string[];
  readonly complaints: string[];
  /** Resolves after that many lines, or when the process has ended. */
  until(lines: number): Promise<void>;
  readonly ended: Promise<unknown>;
}

const started = new Set<WritingChild>();

/** Ends processes left by failed tests, which would block the run. */
export async function endWriters(): Promise<void> {
  for (const child of started) child.process.kill('SIGKILL');
  await Promise.all([...started].map((child) => child.ended));
}

export function startWriter(mode: string, dir: string, ...ids: string[]): WritingChild {
  return startProgram(process.execPath, [script, mode, dir, ...ids]);
}

/** As `startWriter`, with a limit on file sizes. */
export function startLimitedWriter(bytes: number, mode: string, dir: string, id: string): WritingChild {
  return startProgram('prlimit', [`--fsize=${bytes}:unlimited`, process.execPath, script, mode, dir, id]);
}

/** An engine with an agent that talks continuously; `session`: session to resume. */
export function startEngine(store: string, cwd: string, session = ''): WritingChild {
  const host = path.resolve('test/support/fakeAgent/writingHost.ts');
  const env = { PATH: process.env['PATH'] ?? '', HOME: path.dirname(store) };
  return startProgram(process.execPath, [host, store, cwd, session], env);
}

/** An engine that resumes a session with these steps repeatedly. */
export function startResumer(store: string, id: string, steps: string): WritingChild {
  const host = path.resolve('test/support/fakeAgent/resumingHost.ts');
  const env = { PATH: process.env['PATH'] ?? '', HOME: path.dirname(store) };
  return startProgram(process.execPath, [host, store, id, steps], env);
}

function startProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = { PATH: '/usr/bin:/bin' },
): WritingChild {
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const said: string[] = [];
  const complaints: string[] = [];
  let rest = '';
  let heard = () => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    said.push(...lines);
    heard();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
  const ended = once(child, 'close').finally(() => heard());
  const until = (lines: number) =>
    new Promise<void>((resolve) => {
      heard = () => {
        if (said.length >= lines || child.exitCode !== null || child.signalCode !== null) resolve();
      };
      heard();
    });
  const writer = { process: child, said, complaints, until, ended };
  started.add(writer);
  void ended.finally(() => started.delete(writer));
  return writer;
}
