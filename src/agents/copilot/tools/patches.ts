import type { FileChange } from '../../../model/transcript/tool.ts';

/** Changes of an `apply_patch` call, in its own format (`*** Begin Patch`, `*** Update File: …`, …). */
export function patchChanges(patch: string): FileChange[] {
  const changes: { kind: FileChange['kind']; path: string; from?: string; lines: string[] }[] = [];
  for (const line of patch.split('\n')) {
    const file = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line);
    const last = changes.at(-1);
    if (file?.[1] !== undefined && file[2] !== undefined) {
      changes.push({ kind: kinds[file[1]] ?? 'update', path: file[2].trimEnd(), lines: [] });
    } else if (last !== undefined && !line.startsWith('*** ')) {
      last.lines.push(line);
    } else if (last !== undefined && line.startsWith('*** Move to: ')) {
      last.from ??= last.path;
      last.path = line.slice('*** Move to: '.length).trim();
    }
  }
  return changes.flatMap(({ kind, path, from = path, lines }): FileChange[] => {
    if (kind === 'delete') return [{ path, kind }];
    const counts = countLines(lines);
    if (kind === 'update') {
      const update = { path, kind, patch: lines.join('\n').trimEnd(), ...counts };
      return from === path ? [update] : [update, { path: from, kind: 'delete' }];
    }
    const added = lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
    return [{ path, kind, newText: added.join('\n'), ...counts }];
  });
}

const kinds: Readonly<Partial<Record<string, FileChange['kind']>>> = { Add: 'add', Update: 'update', Delete: 'delete' };

function countLines(lines: readonly string[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of lines) {
    if (line.startsWith('+')) added += 1;
    if (line.startsWith('-')) removed += 1;
  }
  return { added, removed };
}

interface FileDiff {
  readonly path: string;
  readonly patch: string;
  readonly added: number;
  readonly removed: number;
}

/** The parts of a displayed change (`diff --git a/… b/…`), by file, without empty ones. */
export function fileDiffs(content: string): FileDiff[] {
  return content
    .split(/^diff --git /m)
    .slice(1)
    .flatMap((part) => {
      const lines = part.split('\n');
      const start = lines.findIndex((line) => line.startsWith('@@ '));
      const path = lines
        .slice(0, Math.max(0, start))
        .map((line) => /^(?:\+\+\+ b|--- a)(\/.+)$/.exec(line)?.[1]?.trimEnd())
        .findLast((name) => name !== undefined && name !== '/dev/null');
      if (start === -1 || path === undefined) return [];
      const body = lines.slice(start);
      const counts = countLines(body);
      if (counts.added + counts.removed === 0) return [];
      return [{ path, patch: body.join('\n').trimEnd(), ...counts }];
    });
}

/** Adds the diff of its file to each change; the paths of a call may be relative. */
export function withDiffs(changes: readonly FileChange[], diffs: readonly FileDiff[]): FileChange[] {
  const [only] = diffs;
  const shown = changes.filter(({ kind }) => kind !== 'delete');
  return changes.map((change) => {
    const own = diffs.find(
      ({ path }) => path === change.path || path.endsWith(`/${change.path.replace(/^\.?\//, '')}`),
    );
    const isOnlyChange = changes.length === 1 || (shown.length === 1 && shown[0] === change);
    const diff = own ?? (diffs.length === 1 && isOnlyChange ? only : undefined);
    if (diff === undefined) return change;
    const { patch, added, removed } = diff;
    return { ...change, patch, added, removed };
  });
}
