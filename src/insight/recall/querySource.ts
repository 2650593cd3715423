import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { isMarkedSynthetic } from '../../model/transcript/synthetic.ts';

/** What earlier sessions are searched by, the best first. */
export const querySources = ['current_message', 'last_real_user_message', 'conversation_summary'] as const;
export type QuerySource = (typeof querySources)[number];

/** A message as far as it matters whose words it holds. */
export interface MessageSource extends Pick<NormalizedEntry, 'metadata' | 'origin'> {
  readonly text: string;
}

export interface Conversation {
  /** What is said now; `undefined`: nothing yet. */
  readonly current: MessageSource | undefined;
  /** Messages to the agent before that, the newest first. */
  readonly earlier: Iterable<NormalizedEntry> | AsyncIterable<NormalizedEntry>;
  /** What the conversation came to; empty where no one knows. */
  readonly summary: () => Promise<string>;
}

export interface ChosenQuery {
  readonly source: QuerySource;
  readonly query: string;
}

/** Put in by programs, in the words of no one who wants something. Triggers and callbacks are known by their marks alone. */
const inserted: ReadonlySet<NormalizedEntry['origin']> = new Set(['hook', 'skill', 'compaction', 'system']);

/** Someone wants what it says. */
function isReal({ metadata, origin }: Pick<NormalizedEntry, 'metadata' | 'origin'>): boolean {
  return !isMarkedSynthetic(metadata) && !inserted.has(origin);
}

/** What someone asked the agent of this conversation for. */
export function isRealMessage(entry: NormalizedEntry): boolean {
  return entry.type.kind === 'user_message' && entry.metadata?.parentCallId === undefined && isReal(entry);
}

/** By what to search; `undefined` where a conversation holds nothing to search by. */
export async function chooseQuery({ current, earlier, summary }: Conversation): Promise<ChosenQuery | undefined> {
  if (current !== undefined && isReal(current) && current.text.trim() !== '')
    return { source: 'current_message', query: current.text };
  for await (const entry of earlier) {
    if (isRealMessage(entry) && entry.content.trim() !== '')
      return { source: 'last_real_user_message', query: entry.content };
  }
  const text = await summary();
  return text.trim() === '' ? undefined : { source: 'conversation_summary', query: text };
}

/** By what was searched, for people who read English, after "by"; surfaces with a language of their own have words of their own. */
export function sourceText(source: QuerySource): string {
  switch (source) {
    case 'current_message':
      return 'the text of this message';
    case 'last_real_user_message':
      return 'the words of the last message that a person wrote';
    case 'conversation_summary':
      return 'the outcome of the conversation';
  }
}
