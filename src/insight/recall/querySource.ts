import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { isMarkedSynthetic } from '../../model/transcript/synthetic.ts';

/** Texts to search earlier sessions with, best first. */
export const querySources = ['current_message', 'last_real_user_message', 'conversation_summary'] as const;
export type QuerySource = (typeof querySources)[number];

/** A message and who wrote it. */
export interface MessageSource extends Pick<NormalizedEntry, 'metadata' | 'origin'> {
  readonly text: string;
}

export interface Conversation {
  /** The current message; `undefined`: none yet. */
  readonly current: MessageSource | undefined;
  /** Earlier messages to the agent, newest first. */
  readonly earlier: Iterable<NormalizedEntry> | AsyncIterable<NormalizedEntry>;
  /** The outcome of the conversation; empty if unknown. */
  readonly summary: () => Promise<string>;
}

export interface ChosenQuery {
  readonly source: QuerySource;
  readonly query: string;
}

/** Messages of programs, which express no one's wish. Triggers and callbacks are recognized only by their marks. */
const inserted: ReadonlySet<NormalizedEntry['origin']> = new Set(['hook', 'skill', 'compaction', 'system']);

/** Messages of someone with a wish. */
function isConversation({ metadata, origin }: Pick<NormalizedEntry, 'metadata' | 'origin'>): boolean {
  return !isMarkedSynthetic(metadata) && !inserted.has(origin);
}

/** Whether an entry is a message that a person wrote in this conversation. */
export function isRealMessage(entry: NormalizedEntry): boolean {
  return entry.type.kind === 'user_message' && entry.metadata?.parentCallId === undefined && isConversation(entry);
}

/** The search text; `undefined` if a conversation has none. */
export async function chooseQuery({ current, earlier, summary }: Conversation): Promise<ChosenQuery | undefined> {
  if (current !== undefined && isConversation(current) && current.text.trim() !== '')
    return { source: 'current_message', query: current.text };
  for await (const entry of earlier) {
    if (isRealMessage(entry) && entry.content.trim() !== '')
      return { source: 'last_real_user_message', query: entry.content };
  }
  const text = await summary();
  return text.trim() === '' ? undefined : { source: 'conversation_summary', query: text };
}

/** The search text in English, after "with"; localized surfaces have their own words. */
export function sourceText(source: QuerySource): string {
  switch (source) {
    case 'current_message':
      return 'the text of this message';
    case 'last_real_user_message':
      return 'the last message that a person wrote';
    case 'conversation_summary':
      return 'the outcome of the conversation';
  }
}
