import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { renameOver } from '../renameOver.ts';

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);
const headSchema = z.object({ hash: hashSchema, at: z.string(), prev: hashSchema.optional() });

/**
 * How far a record had come when it was last made durable: the hash of its last line then. `prev`: what that line names, so
 * that one that was changed is told from one that is missing; earlier versions kept none.
 */
export type Head = z.infer<typeof headSchema>;

export function headFile(folder: string): string {
  return path.join(folder, 'record.head');
}

/** Replaced as a whole, so that it is never half of one. @throws file system errors */
export async function writeHead(folder: string, head: Head): Promise<void> {
  const file = headFile(folder);
  const next = `${file}.next`;
  const handle = await open(next, 'w', 0o600);
  await handle.writeFile(`${JSON.stringify(head)}\n`).finally(() => handle.close());
  await renameOver(next, file);
}

/** Makes it durable. @throws file system errors */
export async function syncHead(folder: string): Promise<void> {
  const handle = await open(headFile(folder), 'r+');
  await handle.sync().finally(() => handle.close());
}

/** `null` where there is none, or none that can be read. */
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
