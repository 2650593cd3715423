import { homedir } from 'node:os';
import type { AgentAdapter } from '../../agents/adapter.ts';
import { findFiles, linesOf } from '../sources/files.ts';

/** Only this many bytes at the end of a file are searched. */
const tailBytes = 16 << 20;

/**
 * The last matching line of the conversation in the agent's own store, which is only read. `null` where the agent's output
 * lacks nothing, and where no such line can be read. Never rejects.
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
    // What the line says stays unknown.
  }
  return last;
}
