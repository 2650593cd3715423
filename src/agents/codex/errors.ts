import { codeOfStatus } from '../shared/httpErrors.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import { field, nonEmpty } from '../shared/guards.ts';

/** Messages while Codex retries by itself; not a failure yet. */
const retries = [/^Reconnecting\b/, /^(?:stream error: .*; )?retrying \d+\/\d+ in /s, /; retrying \d+\/\d+ in \S+$/s];

export function isRetry(message: string): boolean {
  return retries.some((pattern) => pattern.test(message));
}

/** Codex has no codes: only its fixed texts, and the HTTP status if the text has one. */
const fixedTexts: readonly (readonly [RegExp, string])[] = [
  [/^Missing environment variable\b|\bcodex login\b/, 'authentication_failed'],
  [/^Quota exceeded\b/, 'quota_exceeded'],
  [/\bhit your usage limit\b/, 'rate_limit'],
  [/\b429 Too Many Requests\b/, 'rate_limit'],
  [/\bcontext window\b/, 'context_length'],
  [/\breason: max_output_tokens\b/, 'max_output_tokens'],
  [/\breason: content_filter\b|\bsafety reasons\b/, 'refusal'],
  [/\bat capacity\b/, 'overloaded'],
  [/^stream disconnected\b/, 'stream_broken'],
];
const statusInText = /\bstatus:? (\d{3})\b/;
/** Codex passes on responses to bad requests unchanged. */
const typesInJson = new Map([['invalid_request_error', 'invalid_request']]);

/** The server's message in an answer that Codex passes on unchanged. */
export function readableError(message: string): string {
  const inner = message.startsWith('{') ? nonEmpty(field(field(parse(message), 'error'), 'message')) : undefined;
  return inner ?? message;
}

export function errorCode(message: string): string | undefined {
  const status = statusInText.exec(message)?.[1];
  if (status !== undefined) return codeOfStatus(Number(status));
  const type = message.startsWith('{') ? nonEmpty(field(field(parse(message), 'error'), 'type')) : undefined;
  if (type !== undefined) return typesInJson.get(type) ?? type;
  return fixedTexts.find(([pattern]) => pattern.test(message))?.[1];
}

/** Messages on stderr if it does not start a run. */
export const fixedStderr: readonly (readonly [RegExp, string])[] = [
  [/\bno rollout found for (?:thread|conversation) id\b|\bno recorded session found\b/i, 'unknown_session'],
  [/^Not inside a trusted directory\b/m, 'not_trusted'],
  [/^error: (?:unexpected argument|invalid value|unrecognized subcommand|the argument|the following)/m, 'bad_flag'],
  [/^No prompt provided\b/m, 'no_prompt'],
  [/^Error: Model provider `[^`]*` not found|^Error loading config/m, 'bad_config'],
];

/** Also printed on successful runs. */
export const noise: readonly RegExp[] = [
  /^Reading (?:additional input|prompt) from stdin\.\.\.$/,
  /^\S+Z\s+(?:WARN|ERROR|INFO) codex_/,
  /^(?:warning|WARNING): /,
];
