import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { repository } from './install/cache.mjs';
import type { RunFolder } from './runFolder.ts';
import { type Server, startServer } from './server.ts';
import { linkExtension } from './settings.ts';

/** The extension with a tour of the sample workspace; not part of Vitrine. */
export const sampleGuide = path.join(repository, 'test/sample-guide');

/** Tells the tour which workspace is the sample, and distinguishes starts. */
export function guideVariables(folder: RunFolder): Record<string, string> {
  return { VITRINE_SAMPLE_WORKSPACE: folder.workspace, VITRINE_SAMPLE_START: randomUUID() };
}

/**
 * The server of `npm start`. Workspace Trust is off, because the sample workspace is ours. The user's own VS Code is
 * not affected.
 */
export async function startSample(folder: RunFolder, env: Record<string, string>, port: number): Promise<Server> {
  linkExtension(folder.root);
  linkExtension(folder.root, sampleGuide);
  return startServer({ folder, env: { ...env, ...guideVariables(folder) }, port, trust: false });
}
