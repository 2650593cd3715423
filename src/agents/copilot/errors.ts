import { codeOfStatus } from '../shared/httpErrors.ts';

/** Our codes for the errors of `session.error`; others are identified by their HTTP status. */
const errorsByType = new Map<string, string>([
  ['authentication', 'authentication_failed'],
  ['authorization', 'permission_denied'],
  ['rate_limit', 'rate_limit'],
  ['quota', 'quota_exceeded'],
  ['context_limit', 'context_limit'],
]);

export function errorCode(type: string | undefined, status: number | undefined, message: string): string | undefined {
  const own = type === undefined ? undefined : errorsByType.get(type);
  if (own !== undefined) return own;
  if (status !== undefined) return codeOfStatus(status);
  if (message.startsWith('No response was returned.')) return 'empty_answer';
  return type === 'query' ? undefined : type;
}

/** Messages on stderr if it does not start a run. */
export const fixedStderr: readonly (readonly [RegExp, string])[] = [
  [/^(?:Error: )?No (?:session|task)\b.* matched /m, 'unknown_session'],
  [/^(?:Error: )?No authentication information found\b/m, 'authentication_failed'],
  [/^(?:Error: )?Model ".*" from --model flag is not available\b/m, 'model_not_found'],
  [/^error: (?:Invalid command format|unexpected argument|unknown option|the argument|invalid value)\b/m, 'bad_flag'],
];

/** Also printed on successful runs, and during a stop. */
export const noise: readonly RegExp[] = [
  /^(?:Changes|Duration|Tokens|Resume|Requests|AI (?:Units|Credits))\s{2,}/,
  /^Exiting…$/,
  /^Error executing prompt: .*Cannot invoke native session after disposal has started$/,
  /^GitHub Copilot native binary at .* was terminated by signal /,
];
