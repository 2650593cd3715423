import path from 'node:path';
import { identityOf } from '../../engine/folders/identity.ts';
import type { FolderIdentity } from '../../model/session/session.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { SourceScope } from '../../protocol/daemon/sources.ts';

/** Number of folders whose repository is cached. */
const maxFolders = 5000;

/** Finds the repositories of folders. Each folder is checked once. */
export class RepositoryLookup {
  readonly #identities = new Map<string, Promise<FolderIdentity>>();

  identityOfFolder(folder: string): Promise<FolderIdentity> {
    const known = this.#identities.get(folder) ?? identityOf(folder).catch(() => ({ path: '' }));
    this.#identities.set(folder, known);
    const [oldest] = this.#identities.keys();
    if (this.#identities.size > maxFolders && oldest !== undefined) this.#identities.delete(oldest);
    return known;
  }
}

/** Says of sessions whether a client shows them. */
export class SessionScope {
  readonly #scope: SourceScope;
  readonly #folders: readonly string[];
  readonly #repositories: RepositoryLookup;

  constructor(scope: SourceScope, folders: readonly string[], repositories: RepositoryLookup) {
    this.#scope = folders.length === 0 ? 'everything' : scope;
    this.#folders = folders;
    this.#repositories = repositories;
  }

  async includes({ project_dir: folder, observed }: SessionSummary): Promise<boolean> {
    if (this.#scope === 'everything') return true;
    // An unreadable file may belong to any folder.
    if (folder === undefined) return observed?.problem !== null && observed?.problem !== undefined;
    if (this.#folders.some((own) => isWithin(folder, own))) return true;
    if (this.#scope === 'folder') return false;
    const identity = await this.#repositories.identityOfFolder(folder);
    for (const own of this.#folders)
      if (isSameRepository(identity, await this.#repositories.identityOfFolder(own))) return true;
    return false;
  }
}

function isWithin(folder: string, parent: string): boolean {
  const relative = path.relative(parent, folder);
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
}

function isSameRepository(a: FolderIdentity, b: FolderIdentity): boolean {
  const isClone = a.clone !== undefined && a.clone === b.clone;
  return isClone || (a.remote !== undefined && a.remote === b.remote);
}
