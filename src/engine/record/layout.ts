import path from 'node:path';
import { runIdSchema, sessionIdSchema } from '../../model/session/session.ts';
import type { RawStream } from './contract.ts';

/** Longer lines are treated as damage. */
export const maxLineBytes = 64 * 1024 * 1024;

export function sessionsFolder(dir: string): string {
  return path.join(dir, 'sessions');
}

/** @throws if `id` is not a session id, so that nothing else becomes part of a path */
export function sessionFolder(dir: string, id: string): string {
  return path.join(sessionsFolder(dir), sessionIdSchema.parse(id));
}

export function recordFile(folder: string): string {
  return path.join(folder, 'record.jsonl');
}

/** @throws if `runId` is not a run id */
export function rawFile(folder: string, runId: string, stream: RawStream): string {
  return path.join(folder, 'runs', `${runIdSchema.parse(runId)}.${stream}`);
}

/** System code of an error ("ENOENT"), or its name. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
