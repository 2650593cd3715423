import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Ids in the program's format, derived from a small number. */
export function uuidOf(n: number): string {
  return `00000000-0000-4000-8000-${n.toString().padStart(12, '0')}`;
}

export interface StoredRequest {
  readonly id: string;
  readonly model?: string;
  readonly input?: number;
  readonly output?: number;
  /** Absent if a gateway removed it. */
  readonly requestId?: string;
  /** Original session of a copied line, if the version records it. */
  readonly from?: string;
  /** Text of the answer. */
  readonly text?: string;
}

/** A prompt and its answer as lines of a session file. `second`: their time. */
export function turn(session: string, n: number, request: StoredRequest): object[] {
  const at = (ms: number): string => new Date(Date.UTC(2026, 10, 1, 10, 0, n) + ms).toISOString();
  const about = {
    sessionId: session,
    version: '2.1.330',
    cwd: '/home/dev/project',
    gitBranch: 'main',
    entrypoint: 'cli',
  };
  const {
    id,
    model = 'claude-sonnet-4-5-20250929',
    input = 10,
    output = 20,
    requestId,
    from,
    text = `Answer ${n}`,
  } = request;
  const usage = {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: output,
  };
  const message = {
    id,
    role: 'assistant',
    model,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage,
  };
  return [
    {
      type: 'user',
      uuid: uuidOf(n * 2),
      parentUuid: null,
      isSidechain: false,
      timestamp: at(0),
      message: { role: 'user', content: `Question ${n}` },
      ...about,
    },
    {
      type: 'assistant',
      uuid: uuidOf(n * 2 + 1),
      parentUuid: uuidOf(n * 2),
      isSidechain: false,
      timestamp: at(500),
      message,
      ...(requestId !== undefined && { requestId }),
      ...(from !== undefined && { requestSessionId: from }),
      ...about,
    },
  ];
}

/** Writes a session file below a home folder; returns its path. */
export function writeSession(home: string, session: string, records: readonly object[]): string {
  const folder = path.join(home, '.claude/projects/-home-dev-project');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${session}.jsonl`);
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return file;
}
