import { codeOfStatus } from '../shared/httpErrors.ts';

/** Exit codes with a special meaning; others are 1, or an HTTP status modulo 256. */
export const exitCodes: ReadonlyMap<number, string> = new Map([
  [41, 'authentication_failed'],
  [42, 'bad_session'],
  [44, 'sandbox_failed'],
  [52, 'bad_config'],
  [53, 'max_turns'],
  [54, 'tool_failed'],
  [55, 'not_trusted'],
  [130, 'cancelled'],
]);

const fixedTexts: readonly (readonly [RegExp, string])[] = [
  [/\bAPI key not valid\b|\bAPI_KEY_INVALID\b|\binvalid authentication credentials\b/, 'authentication_failed'],
  [/\bexhausted your (?:daily )?quota\b/, 'quota_exceeded'],
  [/\bmax session turns\b/, 'max_turns'],
  [/\bis not found for API version\b/, 'model_not_found'],
  [/\bempty response\b|\bended without a finish reason\b/, 'empty_answer'],
];
const typesOfErrors = new Map([
  ['FatalTurnLimitedError', 'max_turns'],
  ['FatalAuthenticationError', 'authentication_failed'],
  ['FatalCancellationError', 'cancelled'],
]);
const statusInText = /"code":\s*(\d{3})\b/;

/** Code of a streamed error: from its type, fixed texts, or the HTTP status in its text. */
export function errorCode(type: string | undefined, message: string): string | undefined {
  const byType = type === undefined ? undefined : typesOfErrors.get(type);
  const codeByText = byType ?? fixedTexts.find(([pattern]) => pattern.test(message))?.[1];
  if (codeByText !== undefined) return codeByText;
  const status = statusInText.exec(message)?.[1];
  return status === undefined ? undefined : codeOfStatus(Number(status));
}

/** Messages on stderr if it does not start a run. */
export const fixedStderr: readonly (readonly [RegExp, string])[] = [
  [/^Error resuming session: |\bNo previous sessions found for this project\b/m, 'unknown_session'],
  [/^Error starting session: Session ID \S+ already exists\b/m, 'session_in_use'],
  [/^Gemini CLI is not running in a trusted directory\b/m, 'not_trusted'],
  [/^Invalid auth method selected\b|^Please set an Auth method\b/m, 'authentication_failed'],
  [/^Unknown arguments?: /m, 'bad_flag'],
  [/^No input provided via stdin\b/m, 'no_prompt'],
];

/**
 * Since 0.60, if users other than root own the file with a run's servers or can write to a folder above it. The machine's
 * defaults have another name.
 */
export const serversSkipped = /^Security Warning: Skipping system defaults file '.*[\\/]mcp\.json':/;
export const withoutServers =
  'Gemini CLI reads MCP servers of a run only from files that root owns, so it runs without them. To use them, set executor_type to acp and executor_profile to gemini-acp.';

/** Also printed on successful runs. */
export const noise: readonly RegExp[] = [
  /^\[STARTUP\] /,
  /^YOLO mode is enabled\b/,
  /^Warning: (?:256-color|True color|Basic terminal)/,
  /^Loaded cached credentials\.$/,
  /^MCP issues detected\b/,
  /^Error executing tool /,
  /^ {4}at /,
];
