import type { SessionSummary } from '../../src/model/summary.ts';
import { t } from '../l10n.ts';
import { number } from '../text/format.ts';

/** How full the model's window is: `71,300 of 200,000 tokens (36 %)`. */
export function contextText({ context_tokens: tokens, context_window: window }: SessionSummary): string {
  if (tokens === undefined) {
    return window === null
      ? t('unknown: the agent does not report context use')
      : t('unknown of {0} tokens: the agent does not report context use', number(window));
  }
  if (window === null) return t('{0} tokens; the agent does not report the model’s limit', number(tokens));
  return t('{0} of {1} tokens ({2} %)', number(tokens), number(window), Math.round((100 * tokens) / window));
}
