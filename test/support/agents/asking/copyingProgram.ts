import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { shellQuoted } from '../../shellQuoted.ts';

/** A program that runs another one and copies what it prints, byte by byte, into a file for each process. */
export function copyingProgram(program: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'copying-agent');
  const script = `#!/bin/bash\nset -o pipefail\n${shellQuoted(program)} "$@" | tee ${shellQuoted(`${folder}/`)}$$.stdout\n`;
  writeFileSync(file, script, { mode: 0o755 });
  return file;
}

/** What the copying programs of `folder` printed so far, one item for each process. */
export function copiesIn(folder: string): readonly Buffer[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.stdout'));
  return names.map((name) => readFileSync(path.join(folder, name)));
}
