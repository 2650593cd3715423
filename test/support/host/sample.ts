import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { repository } from './install/cache.mjs';
import type { RunFolder } from './runFolder.ts';
import { type Server, startServer } from './server.ts';
import { linkExtension } from './settings.ts';

/** The extension that shows a newcomer around in the sample workspace; it is not part of Vitrine. */
export const sampleGuide = path.join(repository, 'test/sample-guide');

/** Tells the guide which workspace is the sample, and one start from the next. */
export function guideVariables(folder: RunFolder): Record<string, string> {
  return { VITRINE_SAMPLE_WORKSPACE: folder.workspace, VITRINE_SAMPLE_START: randomUUID() };
}

/**
 * The server of `npm start`. The sample workspace is ours, so that Workspace Trust is off in this server; no setting of the
 * user's own VS Code changes.
 */
export async function startSample(folder: RunFolder, env: Record<string, string>, port: number): Promise<Server> {
  linkExtension(folder.root);
  linkExtension(folder.root, sampleGuide);
  return startServer({ folder, env: { ...env, ...guideVariables(folder) }, port, trust: false });
}
