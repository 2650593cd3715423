import { createHash } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FolderIdentity } from '../../model/session/session.ts';

/** Maximum size of git's own files to read. */
const most = 1024 * 1024;
const firstLine = 4096;

/** A repository: top folder of the work tree, and git's common directory, which all work trees share. */
interface Repository {
  readonly top: string;
  readonly commonDir: string;
}

/** Identifies a folder after a rename or move, or on another machine. Reads files and starts no program. */
export async function identityOf(folder: string): Promise<FolderIdentity> {
  const [folderStats, repository] = await Promise.all([
    stat(folder, { bigint: true }).catch(() => null),
    findRepository(folder),
  ]);
  // Inode numbers are reused, so the creation time is included. Not every file system provides it.
  const inode =
    folderStats === null || folderStats.birthtimeNs <= 0n ? undefined : `${folderStats.ino}:${folderStats.birthtimeNs}`;
  const [clone, remote] =
    repository === null ? [] : await Promise.all([cloneOf(repository.commonDir), remoteOf(repository.commonDir)]);
  return {
    ...(inode !== undefined && { folder: inode }),
    ...(clone !== undefined && { clone }),
    ...(remote !== undefined && { remote }),
    path: repository === null ? '' : path.relative(repository.top, folder).split(path.sep).join('/'),
  };
}

/** Top folder of the work tree that contains a folder; the folder itself if there is none. */
export async function topFolderOf(folder: string): Promise<string> {
  return (await findRepository(folder))?.top ?? folder;
}

async function findRepository(folder: string): Promise<Repository | null> {
  for (let top = path.resolve(folder); ; top = path.dirname(top)) {
    const git = path.join(top, '.git');
    const stats = await stat(git).catch(() => null);
    if (stats?.isDirectory() === true) return { top, commonDir: git };
    if (stats?.isFile() === true) {
      const own = /^gitdir: (.+)$/m.exec((await textOf(git)) ?? '')?.[1];
      if (own === undefined) return null;
      const folderOfTree = path.resolve(top, own);
      const commonDirText = (await textOf(path.join(folderOfTree, 'commondir')))?.trim();
      return { top, commonDir: commonDirText === undefined ? folderOfTree : path.resolve(folderOfTree, commonDirText) };
    }
    if (path.dirname(top) === top) return null;
  }
}

/** First reflog line of this clone, which moves and copies preserve. */
async function cloneOf(common: string): Promise<string | undefined> {
  const file = path.join(common, 'logs', 'HEAD');
  const stats = await stat(file).catch(() => null);
  const handle = stats?.isFile() === true ? await open(file, 'r').catch(() => null) : null;
  if (handle === null) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(firstLine), 0, firstLine, 0);
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n');
    return line === '' ? undefined : createHash('sha256').update(line).digest('hex').slice(0, 16);
  } finally {
    await handle.close();
  }
}

/** `host/path` of `origin` or of the only remote, without user, password and protocol. */
async function remoteOf(common: string): Promise<string | undefined> {
  const remotes = new Map<string, string>();
  let name: string | undefined;
  for (const line of ((await textOf(path.join(common, 'config'))) ?? '').split('\n')) {
    const section = /^\s*\[([^\]]*)\]/.exec(line)?.[1];
    if (section !== undefined) name = /^remote "(.+)"$/.exec(section)?.[1];
    const url = /^\s*url\s*=\s*(\S+)\s*$/.exec(line)?.[1];
    if (name !== undefined && url !== undefined && !remotes.has(name)) remotes.set(name, url);
  }
  const url = remotes.get('origin') ?? (remotes.size === 1 ? [...remotes.values()][0] : undefined);
  return url === undefined ? undefined : plainRemote(url);
}

/** `https://user:key@Host/a/b.git`, `git@host:a/b` and `ssh://git@host/a/b` are the same repository. */
export function plainRemote(url: string): string | undefined {
  const short = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/\/)(.+)$/.exec(url);
  const long = URL.canParse(url) ? new URL(url) : undefined;
  const [host, name] =
    long !== undefined && long.host !== '' ? [long.host, long.pathname] : short === null ? ['', url] : short.slice(1);
  const plain = `${(host ?? '').toLowerCase()}/${(name ?? '').replace(/^\/+/, '')}`.replace(/(?:\.git)?\/*$/, '');
  return plain === '/' || plain === '' ? undefined : plain;
}

async function textOf(file: string): Promise<string | null> {
  const stats = await stat(file).catch(() => null);
  return stats?.isFile() === true && stats.size <= most ? await readFile(file, 'utf8').catch(() => null) : null;
}
