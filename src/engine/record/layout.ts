import path from 'node:path';
import { runIdSchema, sessionIdSchema } from '../../model/session/session.ts';
import type { RawStream } from './contract.ts';

/** Whole lines longer than this are not read: they are damage. */
export const maxLineBytes = 64 * 1024 * 1024;

export function sessionsFolder(dir: string): string {
  return path.join(dir, 'sessions');
}

/** @throws where `id` is no session id: nothing else may become part of a path */
export function sessionFolder(dir: string, id: string): string {
  return path.join(sessionsFolder(dir), sessionIdSchema.parse(id));
}

export function recordFile(folder: string): string {
  return path.join(folder, 'record.jsonl');
}

/** @throws where `runId` is no run id */
export function rawFile(folder: string, runId: string, stream: RawStream): string {
  return path.join(folder, 'runs', `${runIdSchema.parse(runId)}.${stream}`);
}

/** The system's code of an error ("ENOENT"), or its name. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
