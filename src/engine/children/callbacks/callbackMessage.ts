import type { ChildResult } from '../childResult.ts';

/** Maximum number of ids in a reason. */
const maxNamedIds = 5;

/** The message to a parent about its ended children, and its reason. */
export function callbackMessage(results: readonly ChildResult[]): { readonly prompt: string; readonly reason: string } {
  const [first, ...others] = results.map(({ session_id }) => session_id);
  const isOne = others.length === 0;
  const ids = [first, ...others].slice(0, maxNamedIds).join(', ');
  const what = isOne ? 'A session that you started has ended.' : 'Sessions that you started have ended.';
  return {
    // JSON, so that no text in a result can pass as the end of the results.
    prompt: `${what} Results as JSON:\n\n${JSON.stringify(results, null, 2)}`,
    // Only ids, because children wrote the rest.
    reason: isOne ? `${ids} has ended` : `${results.length} sessions have ended: ${ids}`,
  };
}
