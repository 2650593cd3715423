import path from 'node:path';
import type { NewRequest } from '../../agents/dialogue.ts';
import { shortPath } from '../../agents/shared/describe.ts';
import type { FileVersion, WorkspaceFiles } from './workspaceFiles.ts';

interface FileWrite {
  /** Path as given by the agent. */
  readonly file: string;
  readonly content: string;
  readonly version: FileVersion;
  readonly workDir: string;
  readonly callId: string | undefined;
}

/** Builds the permission request for a file that the agent writes without having asked. It shows the real path. */
export async function writeRequest(files: WorkspaceFiles, write: FileWrite): Promise<Omit<NewRequest, 'id'>> {
  const { file, content, version: seen, workDir, callId } = write;
  // The session's folder may be a link itself, which is not worth showing.
  const place = path.join(workDir, path.relative(await files.locate(workDir), seen.place));
  const isNew = seen.version === null;
  const reported = [
    ...([place, seen.place].includes(path.resolve(file)) ? [] : [`The agent calls it ${shortPath(file, workDir)}.`]),
    ...(seen.unreadable === undefined ? [] : [`The current content cannot be shown: ${seen.unreadable}`]),
  ];
  return {
    kind: 'permission',
    ...(callId !== undefined && { callId }),
    toolName: 'fs/write_text_file',
    title: `${isNew ? 'Create' : 'Change'} ${shortPath(place, workDir)}`,
    ...(reported.length > 0 && { description: reported.join(' ') }),
    reason: 'The agent requested this change without asking for permission.',
    action: {
      kind: 'file_edit',
      changes: [
        {
          path: place,
          kind: isNew ? 'add' : 'update',
          ...(seen.text !== undefined && { oldText: seen.text }),
          newText: content,
        },
      ],
    },
    cwd: workDir,
    session: 'all files that this agent writes in this folder, until it ends',
  };
}
