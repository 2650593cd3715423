import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Key of the masks of everything that this store shares, so that the same line always gives the same text. */
export async function readMaskKey(file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch(() => '');
  if (/^[0-9a-f]{32}$/.test(known)) return known;
  const key = randomBytes(16).toString('hex');
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, key, { mode: 0o600 });
  return key;
}
