/** A hunk of a unified diff. */
export interface Hunk {
  /** 1-based line of the old file; `null` if the agent did not number it (`@@`). */
  readonly oldStart: number | null;
  readonly lines: readonly { readonly mark: ' ' | '+' | '-'; readonly text: string }[];
}

const head = /^@@(?: -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@)?/;

/** Hunks of a unified diff's body; lines outside hunks are ignored. */
export function hunksOf(patch: string): Hunk[] {
  const hunks: { oldStart: number | null; lines: Hunk['lines'][number][] }[] = [];
  for (const line of patch.split('\n')) {
    const found = head.exec(line);
    if (found !== null) {
      hunks.push({ oldStart: found[1] === undefined ? null : Number(found[1]), lines: [] });
      continue;
    }
    const mark = line.charAt(0);
    if (mark === ' ' || mark === '+' || mark === '-') hunks.at(-1)?.lines.push({ mark, text: line.slice(1) });
    // Some programs print an empty context line without its space.
    else if (line === '') hunks.at(-1)?.lines.push({ mark: ' ', text: '' });
  }
  for (const hunk of hunks) while (hunk.lines.at(-1)?.mark === ' ' && hunk.lines.at(-1)?.text === '') hunk.lines.pop();
  return hunks;
}
