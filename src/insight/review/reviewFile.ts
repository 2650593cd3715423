import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { normalPath } from '../citations/sources/pathNames.ts';
import { type FileEvent, fileEvents } from './fileEvents.ts';
import { textFormOf, plainLines, replaceLines, splitLines } from './fileText.ts';
import { type LineTrail, unreported } from './lineTrail.ts';
import { Replay } from './replay.ts';
import { type ReviewHunk, reviewHunks } from './reviewHunks.ts';
import { initialText } from './initialText.ts';

/** Changes of a session, or a part of it, in the current version of one file. */
export interface FileReview {
  readonly path: string;
  /** Lines before it; `null`: there was no file. */
  readonly before: readonly string[] | null;
  /** The record does not show whether there was a file before. */
  readonly isUncertain: boolean;
  /** The file as it is; `null`: there is none. */
  readonly now: string | null;
  readonly hunks: readonly ReviewHunk[];
  /** Line breaks and encoding for restored lines. */
  readonly form: ReturnType<typeof textFormOf>;
  /** Steps whose changes could not be followed; hunks of theirs may count as not reported. */
  readonly lost: readonly number[];
}

export interface ReviewOptions {
  readonly path: string;
  /** Earlier names of a renamed file. */
  readonly earlierPaths?: readonly string[];
  readonly workDir: string;
  /** Text at the start of the session, if known from another source; `null` if the file did not exist. */
  readonly start?: string | null;
  /** First entry that counts: "before" is the text that it found. */
  readonly since?: number;
}

/**
 * `entries`: settled entries that involve the file (or all entries), in index order. `now`: the file's text, `null` if
 * there is none.
 */
export function reviewFile(
  entries: readonly NormalizedEntry[],
  now: string | null,
  { path: name, earlierPaths = [], workDir, start, since = 0 }: ReviewOptions,
): FileReview {
  const path = normalPath(name, workDir);
  const old = earlierPaths.map((earlierPath) => normalPath(earlierPath, workDir));
  const events = entries.flatMap((entry) => [
    // Under its new name, the file was not deleted.
    ...fileEvents(entry, old, workDir).filter(({ kind }) => kind !== 'deleted'),
    ...fileEvents(entry, [path], workDir),
  ]);
  const lines = now === null ? null : plainLines(now);
  const began =
    start === undefined
      ? initialText(events, lines)
      : { lines: start === null ? null : plainLines(start), hasUnknownEnd: false, isUncertain: false };
  const at = events.findIndex(({ step }) => step >= since);
  const before = at <= 0 ? began : replayText(events.slice(0, at), began);
  const replay = new Replay(before.lines, before.hasUnknownEnd);
  for (const event of at === -1 ? [] : events.slice(at)) replay.add(event);
  replay.setText(lines, unreported);
  const { trail, lost } = replay.end();
  return {
    path,
    before: before.lines === null ? null : trail.base,
    isUncertain: before.isUncertain,
    now,
    hunks: now === null ? mergeIntoOneHunk(trail) : reviewHunks(trail),
    form: textFormOf(now, start),
    lost,
  };
}

/** A deleted file is one hunk, whoever changed it before. */
function mergeIntoOneHunk(trail: LineTrail): ReviewHunk[] {
  const hunks = reviewHunks(trail);
  const by = hunks.flatMap((hunk) => hunk.by);
  const last = trail.authorsOfRemoval(0).at(-1) ?? unreported;
  const others = [...new Set(by)].filter((author) => author !== last).sort((a, b) => a - b);
  return hunks.length === 0 ? [] : [{ base: [0, trail.base.length], now: [0, 0], by: [...others, last] }];
}

type InitialText = ReturnType<typeof initialText>;

function replayText(events: readonly FileEvent[], { lines, hasUnknownEnd, isUncertain }: InitialText): InitialText {
  const replay = new Replay(lines, hasUnknownEnd);
  for (const event of events) replay.add(event);
  const { trail, exists } = replay.end();
  const isKnown = !isUncertain || events.some(({ kind }) => kind === 'written' || kind === 'seen');
  return { lines: exists ? trail.texts : null, hasUnknownEnd, isUncertain: !isKnown };
}

/**
 * What reverting a hunk makes of the file: its text, `null` if it is deleted; or why that would lose something
 * else.
 */
export type RevertResult =
  { readonly text: string | null } | { readonly conflict: 'mixed' | 'uncertain'; readonly text: string | null };

/**
 * Replaces the lines of one hunk in the reviewed text with those from before the session. Everything else stays
 * as it is, character by character.
 */
export function revertHunk({ before, now, hunks, isUncertain, form }: FileReview, hunk: ReviewHunk): RevertResult {
  const [from, to] = hunk.base;
  const lines = (before ?? []).slice(from, to);
  const text = revertedText();
  // Someone else wrote on the same lines: theirs would be lost too.
  const isMixed = hunk.by.length > 1 && hunk.by.includes(unreported);
  if (isMixed) return { conflict: 'mixed', text };
  if (isUncertain && before === null) return { conflict: 'uncertain', text };
  return { text };

  function revertedText(): string | null {
    if (now === null) return form.mark + lines.join(form.lineBreak);
    const all = splitLines(now).lines.length;
    const isWhole = hunk.now[0] === 0 && hunk.now[1] === all;
    if (before === null && isWhole && hunks.length === 1) return null;
    return replaceLines(now, hunk.now, lines, form.lineBreak);
  }
}
