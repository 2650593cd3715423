import { createHash } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FolderIdentity } from '../../model/session/session.ts';

/** Of git's own files; a larger one is not read. */
const most = 1024 * 1024;
const firstLine = 4096;

/** The repository around a folder: the top of its work tree, and where git keeps what all work trees share. */
interface Repository {
  readonly top: string;
  readonly common: string;
}

/** What a folder is known by under another name, in another place or on another machine. Reads files, and starts nothing. */
export async function identityOf(folder: string): Promise<FolderIdentity> {
  const [there, repository] = await Promise.all([stat(folder, { bigint: true }).catch(() => null), around(folder)]);
  // A number alone is given to another folder when this one is deleted; not every file system knows the time.
  const inode = there === null || there.birthtimeNs <= 0n ? undefined : `${there.ino}:${there.birthtimeNs}`;
  const [clone, remote] =
    repository === null ? [] : await Promise.all([cloneOf(repository.common), remoteOf(repository.common)]);
  return {
    ...(inode !== undefined && { folder: inode }),
    ...(clone !== undefined && { clone }),
    ...(remote !== undefined && { remote }),
    path: repository === null ? '' : path.relative(repository.top, folder).split(path.sep).join('/'),
  };
}

/** The top of the work tree that a folder is in; the folder itself where it is in none. */
export async function topOf(folder: string): Promise<string> {
  return (await around(folder))?.top ?? folder;
}

async function around(folder: string): Promise<Repository | null> {
  for (let top = path.resolve(folder); ; top = path.dirname(top)) {
    const git = path.join(top, '.git');
    const there = await stat(git).catch(() => null);
    if (there?.isDirectory() === true) return { top, common: git };
    if (there?.isFile() === true) {
      const own = /^gitdir: (.+)$/m.exec((await textOf(git)) ?? '')?.[1];
      if (own === undefined) return null;
      const folderOfTree = path.resolve(top, own);
      const shared = (await textOf(path.join(folderOfTree, 'commondir')))?.trim();
      return { top, common: shared === undefined ? folderOfTree : path.resolve(folderOfTree, shared) };
    }
    if (path.dirname(top) === top) return null;
  }
}

/** The first thing that git noted of this clone, which goes with it wherever it is moved or copied. */
async function cloneOf(common: string): Promise<string | undefined> {
  const file = path.join(common, 'logs', 'HEAD');
  const there = await stat(file).catch(() => null);
  const handle = there?.isFile() === true ? await open(file, 'r').catch(() => null) : null;
  if (handle === null) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(firstLine), 0, firstLine, 0);
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n');
    return line === '' ? undefined : createHash('sha256').update(line).digest('hex').slice(0, 16);
  } finally {
    await handle.close();
  }
}

/** `host/path` of `origin`, or of the only remote there is; without user, password and protocol. */
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
  const there = await stat(file).catch(() => null);
  return there?.isFile() === true && there.size <= most ? await readFile(file, 'utf8').catch(() => null) : null;
}
