import type { QuerySource } from './querySource.ts';

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
