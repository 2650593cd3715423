import { open } from 'node:fs/promises';
import { constants } from 'node:fs';
import type { AgentRequest } from '../../model/agent/request.ts';
import type { EditPreview, FileText } from '../../model/transcript/editPreview.ts';
import { applyRequest, editedPaths, plainText, previewEdits } from '../../insight/files/preview/previewEdits.ts';
import { decideFileAccess } from '../../text/fileAccess.ts';
import { linkReader } from '../folders/sessionFolders.ts';
import { errorCode } from '../record/layout.ts';

/** Maximum bytes of a file to preview. */
const maxFileBytes = 1024 * 1024;
/** Maximum number of files per request; the others are reported as too large. */
const maxFiles = 50;

/**
 * Previews a request's edits of current files. Reads only regular files in `folder` (absolute path), and follows no
 * links out of it.
 */
export async function readEditPreviews(request: AgentRequest, folder: string | undefined): Promise<EditPreview[]> {
  const base = request.cwd ?? folder;
  const texts = new Map<string, FileText>();
  for (const path of editedPaths(request).slice(0, maxFiles)) texts.set(path, await readText(path, base, folder));
  return previewEdits(request, (path) => texts.get(path) ?? { state: 'tooLarge' });
}

/** The file of a request as it is now, `null` if there is none, and as the request would make it; LF line ends. */
export interface Proposal {
  /** As the agent names it. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** `undefined` if the request is about several files, or does not fit the file as it is. */
export async function readProposal(request: AgentRequest, folder: string | undefined): Promise<Proposal | undefined> {
  const [path, ...others] = editedPaths(request);
  if (path === undefined || others.length > 0) return undefined;
  const file = await readText(path, request.cwd ?? folder, folder);
  if (file.state !== 'text' && file.state !== 'missing') return undefined;
  const before = file.state === 'text' ? plainText(file.text) : null;
  const applied = applyRequest(request, path, before);
  return 'failed' in applied || applied.text === null ? undefined : { path, before, after: applied.text };
}

async function readText(name: string, base: string | undefined, folder: string | undefined): Promise<FileText> {
  const folders = folder === undefined ? [] : [folder];
  const access = await decideFileAccess(base, name, {
    ...linkReader,
    isWindows: process.platform === 'win32',
    folders,
  });
  if (access.kind !== 'open') return { state: 'outside' };
  try {
    // Opening a pipe must not block.
    const file = await open(access.path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return { state: 'unreadable' };
      if (stat.size > maxFileBytes) return { state: 'tooLarge' };
      const bytes = await file.readFile();
      if (bytes.includes(0)) return { state: 'unreadable' };
      return { state: 'text', text: new TextDecoder().decode(bytes), changedAt: stat.mtimeMs };
    } finally {
      await file.close();
    }
  } catch (error) {
    return { state: ['ENOENT', 'ENOTDIR'].includes(errorCode(error)) ? 'missing' : 'unreadable' };
  }
}
