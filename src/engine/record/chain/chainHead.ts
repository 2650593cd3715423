import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { renameOver } from '../renameOver.ts';

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);
const headSchema = z.object({ hash: hashSchema, at: z.string(), prev: hashSchema.optional() });

/**
 * How much of a record was durable: the hash of its last line. `prev`: the hash that this line links to, which tells a
 * changed line from a missing one; absent in earlier versions.
 */
export type Head = z.infer<typeof headSchema>;

export function headFile(folder: string): string {
  return path.join(folder, 'record.head');
}

/** Replaces the file atomically. @throws file system errors */
export async function writeHead(folder: string, head: Head): Promise<void> {
  const file = headFile(folder);
  const next = `${file}.next`;
  const handle = await open(next, 'w', 0o600);
  await handle.writeFile(`${JSON.stringify(head)}\n`).finally(() => handle.close());
  await renameOver(next, file);
}

/** Flushes the file to disk. @throws file system errors */
export async function syncHead(folder: string): Promise<void> {
  const handle = await open(headFile(folder), 'r+');
  await handle.sync().finally(() => handle.close());
}

/** `null` if it does not exist or cannot be read. */
export async function readHead(file: string): Promise<Head | null> {
  try {
    return parseHead(await readFile(file, 'utf8'));
  } catch {
    return null;
  }
}

export function parseHead(text: string): Head | null {
  try {
    return headSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
