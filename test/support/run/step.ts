import { spawn } from 'node:child_process';

export interface Step {
  readonly name: string;
  /** Of this Node. */
  readonly args: readonly string[];
  /** Show the output of a step that went well, too. */
  readonly verbose?: boolean;
}

/** Runs one step; its output comes in one piece when it ends, since steps run beside each other. True: it went well. */
export function runStep({ name, args, verbose = false }: Step): Promise<boolean> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): boolean => child.kill();
  process.once('exit', kill);
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      process.off('exit', kill);
      const ok = code === 0;
      console.log(`${ok ? '✔' : '✖'} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
      if (verbose || !ok) process.stdout.write(Buffer.concat(output));
      resolve(ok);
    });
  });
}
