import { spawn } from 'node:child_process';

/** One line of a recording; see docs/development/demo.md. */
export type RecordedLine =
  | { readonly at: number; readonly stream: 'stdout' | 'stderr'; readonly line: string }
  | { readonly at: number; readonly exit: number | null };

/** Runs a program to its end. Returns each line with its time in milliseconds since the start. */
export async function recordRun(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string>; stdin: string },
): Promise<RecordedLine[]> {
  const { cwd, env, stdin } = options;
  const child = spawn(program, args, { cwd, env, stdio: 'pipe' });
  const started = performance.now();
  const now = (): number => Math.round(performance.now() - started);
  const lines: RecordedLine[] = [];
  for (const stream of ['stdout', 'stderr'] as const) {
    let rest = '';
    child[stream].setEncoding('utf8');
    child[stream].on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) lines.push({ at: now(), stream, line });
    });
    child[stream].on('end', () => {
      if (rest !== '') lines.push({ at: now(), stream, line: rest });
    });
  }
  child.stdin.end(stdin);
  const exit = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return [...lines, { at: now(), exit }];
}
