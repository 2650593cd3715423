import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { captureFile } from './homes.ts';

/** Copies a captured store below a home, as if its agent had run in `folder`. Returns the files' paths. */
export function plantStore(capture: string, home: string, folder: string): string[] {
  const from = captureFile(capture, 'home');
  const names = readdirSync(from, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.(?:jsonl|json|yaml)$/.test(name))
    .map((name) => {
      const to = path.join(home, name);
      mkdirSync(path.dirname(to), { recursive: true });
      writeFileSync(to, readFileSync(path.join(from, name), 'utf8').replaceAll('/home/dev/project', folder));
      return to;
    });
}
