import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../../test/support/host/install/cache.mjs';

const recording = path.join(repository, 'media/demo/teahouse.ndjson');

/** Stdout lines of a recorded run without the first (`init`) and the last (`result`). */
function body(): string[] {
  const lines: string[] = [];
  for (const line of readFileSync(recording, 'utf8').split('\n')) {
    if (line === '') continue;
    const { stream, line: output, turn } = JSON.parse(line) as { stream?: string; line?: string; turn?: number };
    if (turn === 2) break;
    if (stream === 'stdout' && output !== undefined) lines.push(output);
  }
  return lines.filter((line) => !line.includes('"subtype":"init"') && !line.includes('"type":"result"'));
}

/**
 * Output of a very long run of Claude Code with partial messages, about `megabytes` in size: repeats two recorded runs
 * with new ids of messages, calls and lines.
 */
export function claudeOutput(megabytes: number): Buffer {
  const once = body().join('\n') + '\n';
  const parts: Buffer[] = [];
  for (let bytes = 0, round = 0; bytes < megabytes * 1e6; round += 1) {
    const uuid = `"uuid":"${round.toString(16).padStart(8, '0')}`;
    const part = Buffer.from(
      once.replace(/((?:msg|toolu)_scripted)_/g, `$1_${round}_`).replace(/"uuid":"\w{8}/g, uuid),
    );
    parts.push(part);
    bytes += part.length;
  }
  return Buffer.concat(parts);
}

/** In pieces of 64 KiB, as from a pipe. */
export function chunks(bytes: Buffer, size = 65_536): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}
