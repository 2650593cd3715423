import type { SessionFile } from '../../insight/files/files.ts';
import type { FileGroup, FilesLine, FilesPage } from '../../protocol/viewMessages.ts';
import type { ViewIndex } from './viewIndex.ts';

/** A page of the list of files: what was changed, what changed behind the tools' backs, what was only read. */
export function filesPage(
  index: ViewIndex,
  { from, count, query }: { from: number; count: number; query: string },
): FilesPage {
  const files = index.files.all();
  const changed = files.filter(({ change }) => change !== 'read');
  const read = files.slice(changed.length);
  const unreported = [...index.unreported.values()];
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const fits = ({ path }: { readonly path: string }): boolean => {
    const text = path.toLowerCase().replaceAll('\\', '/');
    return words.every((word) => text.includes(word));
  };
  const lines = [
    ...group('changed', changed.filter(fits).map(fileLine)),
    ...group(
      'unreported',
      unreported.filter(fits).map(({ path, kind, besides, entryIndex }) => {
        return { type: 'unreported' as const, path, change: kind, besides: besides === true, entryIndex };
      }),
    ),
    ...group('read', read.filter(fits).map(fileLine)),
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
      added: changed.reduce((sum, { added }) => sum + added, 0),
      removed: changed.reduce((sum, { removed }) => sum + removed, 0),
      counted: changed.every(({ counted }) => counted),
      omitted: index.files.omitted + index.unlisted,
    },
  };
}

function group(name: FileGroup, lines: readonly FilesLine[]): FilesLine[] {
  return lines.length === 0 ? [] : [{ type: 'group', group: name, count: lines.length }, ...lines];
}

function fileLine({ path, change, first, last, touches, added, removed, counted }: SessionFile): FilesLine {
  return { type: 'file', path, change, first, last, touches, added, removed, counted };
}
