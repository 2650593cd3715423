import { isUnsafePath } from './unsafePath.ts';

/** Reads one name without following it. Both throw if the file system refuses. */
export interface LinkReader {
  /** `missing` if the name does not exist. */
  readonly lstat: (path: string) => Promise<'link' | 'other' | 'missing'>;
  readonly readlink: (path: string) => Promise<string>;
}

export interface FileSystemView extends LinkReader {
  readonly isWindows: boolean;
  /** Absolute paths of the workspace's folders. */
  readonly folders: readonly string[];
}

/**
 * What to do with a path: `open` it, `ask` before anything outside the workspace is accessed (`target`: where a link
 * inside leads), or `refuse` it.
 */
export type FileAccess =
  | { readonly kind: 'refuse' }
  | { readonly kind: 'open'; readonly path: string }
  | { readonly kind: 'ask'; readonly path: string; readonly target?: string };

/** Maximum number of links in one path, as on Linux. */
const maxLinks = 40;

/** Decides on the path `name`, relative to `base`. Accesses only names inside of the workspace's folders. */
export async function decideFileAccess(
  base: string | undefined,
  name: string,
  system: FileSystemView,
): Promise<FileAccess> {
  const place = resolvePlace(base, name, system.isWindows);
  if (place === undefined) return { kind: 'refuse' };
  const path = join(place);
  if (isUnsafePath(path, system.isWindows)) return { kind: 'refuse' };
  const outcome = await new LinkWalk(system, folderPlaces(system)).resolveFrom(place);
  if (outcome === 'refused') return { kind: 'refuse' };
  if (outcome === 'inside') return { kind: 'open', path };
  const target = join(outcome);
  return { kind: 'ask', path, ...(target !== path && { target }) };
}

/** Whether an absolute path that the user confirmed leads to no other host by a link. */
export async function isReachedLocally(path: string, system: FileSystemView): Promise<boolean> {
  let place = resolvePlace(undefined, path, system.isWindows);
  // A link may lead to another drive, and from there to the next.
  for (let drives = 0; place !== undefined && drives < maxLinks; drives += 1) {
    const outcome: Place | 'inside' | 'refused' = await new LinkWalk(system, [{ ...place, segments: [] }]).resolveFrom(
      place,
    );
    if (typeof outcome === 'string') return outcome === 'inside';
    place = outcome;
  }
  return false;
}

/** An absolute path; `root` is `/` or `C:\`. */
interface Place {
  readonly root: string;
  readonly segments: readonly string[];
}

class LinkWalk {
  readonly #system: FileSystemView;
  readonly #folders: readonly Place[];

  constructor(system: FileSystemView, folders: readonly Place[]) {
    this.#system = system;
    this.#folders = folders;
  }

  /** Where the path leaves the folders, or how it ends inside of them. */
  async resolveFrom(start: Place): Promise<Place | 'inside' | 'refused'> {
    const first = this.#enter(start);
    if (first === undefined) return start;
    let { at, rest } = first;
    for (let links = 0; ;) {
      const [name, ...after] = rest;
      if (name === undefined) return 'inside';
      const next: Place = {
        root: at.root,
        segments: name === '..' ? at.segments.slice(0, -1) : [...at.segments, name],
      };
      rest = after;
      if (this.#enter(next) === undefined) return normalize(next, rest);
      const found = name === '..' ? 'other' : await this.#system.lstat(join(next)).catch(() => 'missing');
      if (found === 'missing') return 'inside';
      if (found === 'other') {
        at = next;
        continue;
      }
      links += 1;
      const text = await this.#system.readlink(join(next)).catch(() => undefined);
      if (text === undefined || text === '' || links > maxLinks) return 'refused';
      if (isUnsafePath(text, this.#system.isWindows)) return 'refused';
      const target = this.#resolveTarget(at, text, rest);
      const enteredPlace = this.#enter(target.isAbsolute ? target.place : at);
      if (enteredPlace === undefined) return normalize(target.place, []);
      ({ at, rest } = target.isAbsolute ? enteredPlace : { at, rest: [...target.names, ...rest] });
    }
  }

  #resolveTarget(at: Place, text: string, rest: readonly string[]) {
    const { isWindows } = this.#system;
    const names = split(text, isWindows);
    const root = isWindows ? (/^[a-z]:[\\/]/i.exec(text)?.[0].replace('/', '\\') ?? at.root) : '/';
    const isAbsolute = (isWindows ? /^(?:[a-z]:)?[\\/]/i : /^\//).test(text);
    const own = isAbsolute && /^[a-z]:/i.test(names[0] ?? '') && isWindows ? names.slice(1) : names;
    const place: Place = { root, segments: [...own, ...rest] };
    return { isAbsolute, names, place };
  }

  /** The folder that contains a place, and the remaining names. */
  #enter(place: Place): { at: Place; rest: readonly string[] } | undefined {
    const { isWindows } = this.#system;
    const fold = (text: string): string => (isWindows ? text.toLowerCase() : text);
    const folder = this.#folders.find(
      ({ root, segments }) =>
        fold(root) === fold(place.root) &&
        segments.every((name, at) => place.segments[at] !== undefined && fold(place.segments[at]) === fold(name)),
    );
    if (folder === undefined) return undefined;
    return { at: folder, rest: place.segments.slice(folder.segments.length) };
  }
}

function folderPlaces({ folders, isWindows }: FileSystemView): Place[] {
  return folders.flatMap((folder) => resolvePlace(undefined, folder, isWindows) ?? []);
}

/** `undefined` if the path is unsafe, or relative without a base. */
function resolvePlace(base: string | undefined, name: string, isWindows: boolean): Place | undefined {
  if (isUnsafePath(name, isWindows)) return undefined;
  const root = isWindows ? /^[a-z]:[\\/]/i.exec(name)?.[0].slice(0, 2) : /^\//.exec(name)?.[0];
  if (root !== undefined) {
    const start: Place = { root: isWindows ? `${root}\\` : '/', segments: [] };
    return normalize(start, split(isWindows ? name.slice(2) : name, isWindows));
  }
  const from = base === undefined ? undefined : resolvePlace(undefined, base, isWindows);
  if (from === undefined) return undefined;
  const fromRoot = isWindows && /^[\\/]/.test(name);
  return normalize(fromRoot ? { ...from, segments: [] } : from, split(name, isWindows));
}

function normalize({ root, segments }: Place, names: readonly string[]): Place {
  const all: string[] = [];
  for (const name of [...segments, ...names]) {
    if (name === '..') all.pop();
    else all.push(name);
  }
  return { root, segments: all };
}

function split(path: string, isWindows: boolean): string[] {
  return path.split(isWindows ? /[\\/]/ : '/').filter((name) => name !== '' && name !== '.');
}

function join({ root, segments }: Place): string {
  return `${root}${segments.join(root === '/' ? '/' : '\\')}`;
}
