import { homedir } from 'node:os';
import type { AgentAdapter } from '../../agents/adapter.ts';
import { findFiles, linesOf } from '../sources/files.ts';

/** Number of bytes to search at the end of a file. */
const tailBytes = 16 << 20;

/**
 * Last matching line of the conversation in the agent's own store, read-only. `null` if the output is complete or there
 * is no such line. Never rejects.
 */
export async function storedLine(
  { storedLine: wanted }: AgentAdapter,
  conversationId: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  if (wanted === undefined || conversationId === undefined) return null;
  const { format, matches } = wanted;
  const place = { env, home: env['HOME'] ?? env['USERPROFILE'] ?? homedir(), platform: process.platform };
  let last: string | null = null;
  try {
    for (const root of format.roots(place)) {
      const isOfIt = (name: string): boolean => name.includes(conversationId) && format.place(name) !== undefined;
      const { files } = await findFiles(root, isOfIt);
      for (const { path, size } of files) {
        for await (const lines of linesOf(path, Math.max(0, size - tailBytes))) {
          for (const line of lines) if ('text' in line && matches(line.text)) last = line.text;
        }
      }
    }
  } catch {
    // Then the line's information stays unknown.
  }
  return last;
}
