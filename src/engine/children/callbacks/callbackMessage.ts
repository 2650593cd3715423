import type { ChildResult } from '../childResult.ts';

/** Ids in a reason. */
const mostNamed = 5;

/** What a parent is told, and why. */
export function callbackMessage(results: readonly ChildResult[]): { readonly prompt: string; readonly reason: string } {
  const [first, ...more] = results.map(({ session_id }) => session_id);
  const isOne = more.length === 0;
  const ids = [first, ...more].slice(0, mostNamed).join(', ');
  const what = isOne ? 'A session that you started has ended.' : 'Sessions that you started have ended.';
  return {
    // Whole JSON, so that nothing in a result can be taken for the end of it.
    prompt: `${what} Results as JSON:\n\n${JSON.stringify(results, null, 2)}`,
    // Names ids only: what children say themselves is no reason.
    reason: isOne ? `${ids} has ended` : `${results.length} sessions have ended: ${ids}`,
  };
}
