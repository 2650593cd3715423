import type { DiffLine } from '../../src/model/transcript/editPreview.ts';
import type { FileChange } from '../../src/model/transcript/tool.ts';

const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

/** Lines of a change, from its patch or else from the two texts. */
export function diffLines(change: FileChange): DiffLine[] {
  if (change.patch !== undefined) return patchLines(change.patch);
  return textLines(change.oldText ?? '', change.newText ?? '');
}

function patchLines(patch: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 1;
  let after = 1;
  for (const line of splitLines(patch)) {
    const [, from, to] = hunk.exec(line) ?? [];
    if (from !== undefined && to !== undefined) {
      if (lines.length > 0) lines.push({ kind: 'gap', text: line });
      before = Number(from);
      after = Number(to);
    } else if (line.startsWith('+')) {
      lines.push({ kind: 'add', text: line.slice(1), after: after++ });
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'del', text: line.slice(1), before: before++ });
    } else if (!line.startsWith('\\')) {
      lines.push({ kind: 'same', text: line.slice(1), before: before++, after: after++ });
    }
  }
  return lines;
}

/** Without a patch, the context is unknown: common lines at both ends stay, the others are removed and inserted. */
function textLines(oldText: string, newText: string): DiffLine[] {
  const old = oldText === '' ? [] : splitLines(oldText);
  const next = newText === '' ? [] : splitLines(newText);
  let head = 0;
  while (head < old.length && head < next.length && old[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(old.length, next.length) - head && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1;
  return [
    ...old.slice(0, head).map((text) => ({ kind: 'same' as const, text })),
    ...old.slice(head, old.length - tail).map((text) => ({ kind: 'del' as const, text })),
    ...next.slice(head, next.length - tail).map((text) => ({ kind: 'add' as const, text })),
    ...old.slice(old.length - tail).map((text) => ({ kind: 'same' as const, text })),
  ];
}

/** Lines of a text; a final line break does not begin another line. */
export function splitLines(text: string): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines;
}

/** Displayed changes: one patch represents all later changes to its file in the same call. */
export function shownChanges(changes: readonly FileChange[]): FileChange[] {
  const patched = new Set<string>();
  return changes.filter((change) => {
    if (change.patch === undefined) return !patched.has(change.path);
    patched.add(change.path);
    return true;
  });
}

/** Numbers of added and removed lines: from the agent, else counted here; `undefined` if texts were cut. */
export function changeCounts(
  changes: readonly FileChange[],
  cut: boolean,
): { added: number; removed: number } | undefined {
  let added = 0;
  let removed = 0;
  for (const change of shownChanges(changes)) {
    if (change.added !== undefined || change.removed !== undefined) {
      added += change.added ?? 0;
      removed += change.removed ?? 0;
    } else if (cut) {
      return undefined;
    } else {
      for (const { kind } of diffLines(change)) {
        if (kind === 'add') added += 1;
        else if (kind === 'del') removed += 1;
      }
    }
  }
  return { added, removed };
}
