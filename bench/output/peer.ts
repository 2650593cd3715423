import assert from 'node:assert/strict';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { claudeCode } from '../../src/agents/claude-code/adapter.ts';
import { installOnce, npm } from '../../test/support/host/install/cache.mjs';
import { chunks, claudeOutput } from './claudeOutput.ts';
import { compare, rate, type Row } from '../harness.ts';
import { ingest, workDir } from './pipeline.ts';

const name = 'agent-execution-engine';
const version = '0.0.25';

interface PeerChunk {
  readonly type: 'stdout';
  readonly data: Buffer;
  readonly timestamp: Date;
}

interface Peer {
  normalizeOutput(chunks: AsyncIterable<PeerChunk>, workDir: string): AsyncIterable<{ readonly index: number }>;
}

interface PeerModule {
  readonly ClaudeCodeExecutor: new (options: { readonly workDir: string }) => Peer;
}

/** Loads only the peer's executor for Claude Code, next to the project's own packages. */
async function loadPeer(): Promise<Peer> {
  const folder = await installOnce(`${name}-${version}`, version, (target) =>
    npm(target, ['install', '--ignore-scripts', '--omit=optional', '--legacy-peer-deps', `${name}@${version}`]),
  );
  const file = path.join(folder, 'node_modules', name, 'dist/agents/claude/executor.js');
  const { ClaudeCodeExecutor } = (await import(pathToFileURL(file).href)) as PeerModule;
  return new ClaudeCodeExecutor({ workDir });
}

async function read(peer: Peer, pieces: readonly Buffer[]): Promise<number> {
  const output = Readable.from(pieces.map((data): PeerChunk => ({ type: 'stdout', data, timestamp: new Date(0) })));
  let entries = 0;
  for await (const { index } of peer.normalizeOutput(output, workDir)) entries += index >= 0 ? 1 : 0;
  return entries;
}

/** Bytes to entries: ours compared with another project's, on the same output. The peer skips partial messages. */
export async function againstPeer(megabytes = 12, turns = 41): Promise<Row[]> {
  const partial = claudeOutput(megabytes);
  const whole = Buffer.from(
    partial
      .toString('utf8')
      .split(/(?<=\n)/)
      .filter((line) => !line.startsWith('{"type":"stream_event"'))
      .join(''),
  );
  let peer: Peer;
  try {
    peer = await loadPeer();
  } catch (error) {
    console.log(`${name} ${version} cannot be had: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
  const cases = [
    ['with partial messages', partial],
    ['without', whole],
  ] as const;
  const rows: Row[] = [];
  for (const [what, bytes] of cases) {
    const pieces = chunks(bytes);
    assert.ok((await read(peer, pieces)) > 0);
    const { ratio, subject, baseline } = await compare(
      () => ingest(claudeCode, pieces),
      () => read(peer, pieces),
      turns,
    );
    rows.push({
      name: `against ${name}, ${what}`,
      value: ratio,
      unit: '×',
      goal: 2 / 3,
      detail: `${rate(pieces, subject)}, the peer ${rate(pieces, baseline)}: ${(1 / ratio).toFixed(2)} times its throughput`,
    });
  }
  return rows;
}
