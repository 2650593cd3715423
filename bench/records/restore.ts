import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FileSnapshots } from '../../src/engine/restore/fileSnapshots.ts';
import type { Row } from '../harness.ts';

const files = 50_000;
const perFolder = 100;
const silent = (): void => undefined;

/** Copies of an unchanged workspace before a prompt, after the first copy; the best of some turns. */
export async function copyFiles(turns = 5): Promise<Row> {
  const root = mkdtempSync(path.join(tmpdir(), 'bench-restore-'));
  const folder = path.join(root, 'work');
  const problems: string[] = [];
  try {
    for (let at = 0; at < files; at += 1) {
      const inside = path.join(folder, `folder-${Math.floor(at / perFolder)}`);
      if (at % perFolder === 0) mkdirSync(inside, { recursive: true });
      writeFileSync(path.join(inside, `file-${at}.ts`), `export const value${at} = ${at};\n`);
    }
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
    git('init', '-q');
    git('add', '-A');
    const log = { debug: silent, info: silent, warn: (text: string) => void problems.push(text), error: silent };
    const environment = (): NodeJS.ProcessEnv => process.env;
    const snapshots = new FileSnapshots({ storeDir: path.join(root, 'store'), environment, clock: Date.now, log });
    const session = { id: 'ses_0123456789ab', folder };
    const copy = async (entry: number, kind: 'prompt' | 'end'): Promise<number> => {
      const began = performance.now();
      await snapshots.take(session, { entry, kind });
      return performance.now() - began;
    };
    const first = await copy(0, 'end');
    let best = Infinity;
    for (let turn = 1; turn <= turns; turn += 1) best = Math.min(best, await copy(turn, 'prompt'));
    if (problems.length > 0) throw new Error(problems.join('\n'));
    const detail = `the first copy took ${(first / 1000).toFixed(1)} s`;
    return { name: `restore: copy of ${files} unchanged files`, value: best, unit: 'ms', goal: 1000, detail };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
