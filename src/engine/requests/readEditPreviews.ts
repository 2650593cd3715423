import { open } from 'node:fs/promises';
import { constants } from 'node:fs';
import type { AgentRequest } from '../../model/agent/request.ts';
import type { EditPreview, FileText } from '../../model/transcript/editPreview.ts';
import { editedPaths, previewEdits } from '../../insight/files/preview/previewEdits.ts';
import { decideFileAccess } from '../../text/fileAccess.ts';
import { linkReader } from '../folders/sessionFolders.ts';
import { errorCode } from '../record/layout.ts';

/** Bytes of a file that is read for a preview. */
const maxFileBytes = 1024 * 1024;
/** Files of one request that are read; the others count as too large. */
const maxFiles = 50;

/**
 * What a request would make of its files as they are now. Reads only regular files in `folder`, the absolute path of the
 * session's folder, and follows no link that leads out of it.
 */
export async function readEditPreviews(request: AgentRequest, folder: string | undefined): Promise<EditPreview[]> {
  const base = request.cwd ?? folder;
  const texts = new Map<string, FileText>();
  for (const path of editedPaths(request).slice(0, maxFiles)) texts.set(path, await readText(path, base, folder));
  return previewEdits(request, (path) => texts.get(path) ?? { state: 'tooLarge' });
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
    // A pipe must not make this wait.
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
