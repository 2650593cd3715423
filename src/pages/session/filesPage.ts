import type { SessionFile } from '../../insight/files/files.ts';
import type { FileGroup, FilesLine, FilesPage, FileSort } from '../../protocol/panel/viewMessages.ts';
import type { ViewIndex } from './viewIndex.ts';

/** A page of the file list: changed files, files changed without a tool call, files only read. */
export function filesPage(
  index: ViewIndex,
  { from, count, query, sort }: { from: number; count: number; query: string; sort: FileSort },
): FilesPage {
  const files = index.files.all();
  const changed = files.filter(({ change }) => change !== 'read');
  const read = files.slice(changed.length);
  const unreported = [...index.unreported.values()];
  const found = index.files.filesFoundBySearch().filter(({ path }) => !index.unreported.has(path));
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const fits = ({ path }: { readonly path: string }): boolean => {
    const text = path.toLowerCase().replaceAll('\\', '/');
    return words.every((word) => text.includes(word));
  };
  const lines = [
    ...group('changed', sortFiles(changed.filter(fits), sort).map(fileLine)),
    ...group(
      'unreported',
      sortedFiles(unreported.filter(fits), sort).map(({ path, kind, besides, entryIndex }) => {
        return { type: 'unreported' as const, path, change: kind, besides: besides === true, entryIndex };
      }),
    ),
    ...group('read', sortFiles(read.filter(fits), sort).map(fileLine)),
    ...group(
      'found',
      sortedFiles(found.filter(fits), sort).map(({ path, step }) => ({ type: 'found' as const, path, step })),
    ),
  ];
  return {
    total: lines.length,
    from,
    lines: lines.slice(from, from + count),
    sums: {
      files: new Set([...files, ...unreported].map(({ path }) => path)).size,
      changed: changed.length,
      read: read.length,
      unreported: unreported.length,
      found: found.length,
      added: changed.reduce((sum, { added }) => sum + added, 0),
      removed: changed.reduce((sum, { removed }) => sum + removed, 0),
      counted: changed.every(({ counted }) => counted),
      omitted: index.files.omitted + index.unlistedFiles,
    },
  };
}

/** By first use, or by name as delivered. */
function sortFiles(files: readonly SessionFile[], sort: FileSort): readonly SessionFile[] {
  const by: Readonly<Record<Exclude<FileSort, 'first' | 'name'>, (file: SessionFile) => number>> = {
    lines: ({ added, removed }) => added + removed,
    touches: ({ touches }) => touches,
    last: ({ last }) => last.entryIndex,
  };
  if (sort === 'first' || sort === 'name') return sortedFiles(files, sort);
  const value = by[sort];
  return [...files].sort((a, b) => value(b) - value(a));
}

function sortedFiles<F extends { readonly path: string }>(files: readonly F[], sort: FileSort): readonly F[] {
  if (sort !== 'name') return files;
  return [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function group(name: FileGroup, lines: readonly FilesLine[]): FilesLine[] {
  return lines.length === 0 ? [] : [{ type: 'group', group: name, count: lines.length }, ...lines];
}

function fileLine({ path, change, first, last, touches, added, removed, counted }: SessionFile): FilesLine {
  return { type: 'file', path, change, first, last, touches, added, removed, counted };
}
