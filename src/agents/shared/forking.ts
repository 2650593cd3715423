import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import { isAtLeastOrUnknown } from '../../model/text/versions.ts';

/**
 * First versions with which a new conversation can continue from the end of another. Claude Code before 1.0.126 does that with
 * each resume. Of Codex 0.77.0 has no `codex exec fork`, and 0.169.0 has.
 */
const forkSince: Partial<Readonly<Record<ExecutorType, string>>> = { 'claude-code': '1.0.3', codex: '0.169.0' };

/** First measured versions that can leave out the end of the other conversation. */
const forkAtSince: Partial<Readonly<Record<ExecutorType, string>>> = { 'claude-code': '2.0.77', codex: '0.169.0' };

/** `version`: `null` if the agent did not report it. */
export function canFork(agent: ExecutorType | undefined, version: string | null): boolean {
  return hasVersion(forkSince, agent, version);
}

export function canForkAt(agent: ExecutorType | undefined, version: string | null): boolean {
  return hasVersion(forkAtSince, agent, version);
}

function hasVersion(since: typeof forkSince, agent: ExecutorType | undefined, version: string | null): boolean {
  const first = agent === undefined ? undefined : since[agent];
  return first !== undefined && (version === null || isAtLeastOrUnknown(version, first));
}

/** Where a fork cuts the conversation. */
export interface ForkPlace {
  /** Index of the prompt, the first entry that is left out. */
  readonly entry: number;
  /** The agent's own id of the last message or turn to keep; `null`: there is none. */
  readonly last: string | null;
}

/**
 * The place in the agent's own transcript at which a prompt of Vitrine's transcript of the same conversation was sent.
 * `texts`: that prompt and all later ones, in order. `undefined`: it is not there, or not at the start of a turn.
 */
export function findForkPlace(entries: readonly NormalizedEntry[], texts: readonly string[]): ForkPlace | undefined {
  const prompts = entries.filter(
    ({ type, metadata }) => type.kind === 'user_message' && metadata?.parentCallId === undefined,
  );
  const [first = '', ...later] = texts.map((text) => text.trim());
  // Vitrine's additions come before or after the text of a prompt.
  const isFirst = ({ content }: NormalizedEntry): boolean => first !== '' && content.includes(first);
  const repeats = later.filter((text) => text.includes(first)).length;
  const at = prompts.flatMap((prompt, place) => (isFirst(prompt) ? [place] : [])).at(-1 - repeats);
  const prompt = at === undefined ? undefined : prompts[at];
  // The agent no longer has what came before a summary.
  const isSummarized = entries.some(
    ({ type, index }) =>
      type.kind === 'system_message' && type.subtype === 'compact_boundary' && index > (prompt?.index ?? 0),
  );
  if (at === undefined || prompt === undefined || isSummarized) return undefined;
  const { metadata } = prompt;
  const parent = metadata?.['parentUuid'];
  if (typeof parent === 'string') return { entry: prompt.index, last: at === 0 ? null : parent };
  if (parent === null && at === 0) return { entry: prompt.index, last: null };
  const turn = metadata?.['turnId'];
  if (typeof turn !== 'string') return undefined;
  if (at === 0) return { entry: prompt.index, last: null };
  const before = prompts[at - 1]?.metadata?.['turnId'];
  return typeof before === 'string' && before !== turn ? { entry: prompt.index, last: before } : undefined;
}
