import { codeOfStatus } from '../shared/httpErrors.ts';
import type { RpcError } from './wire.ts';

const errorsByCode = new Map<number, string>([
  [-32700, 'protocol_error'],
  [-32600, 'protocol_error'],
  [-32601, 'method_not_found'],
  [-32602, 'invalid_params'],
  [-32603, 'internal_error'],
  [-32800, 'cancelled'],
  [-32000, 'authentication_failed'],
]);

/** The protocol has no error code for this that all agents use. */
const unknownSession =
  /\bsession\b.*\bnot found\b|\bno rollout found\b|\bInvalid session identifier\b|\bno conversation found\b/is;
const status = /\b(?:API Error:|last status:|HTTP) (\d{3})\b/;

/** Label of an error entry. */
export function errorCode({ code, message, details, errorKind, sessionId }: RpcError): string | undefined {
  const shown = `${message}\n${details ?? ''}`;
  if (unknownSession.test(shown) || (code === -32002 && sessionId !== undefined)) return 'unknown_session';
  if (errorKind !== undefined && errorKind !== 'unknown') return errorKind;
  // Some agents answer with the HTTP status of the model's server.
  if (code !== undefined && code >= 400 && code < 600) return codeOfStatus(code);
  return codeOfText(shown) ?? (code === undefined ? undefined : errorsByCode.get(code));
}

/** The HTTP status of a model's server, if a text has one. */
export function codeOfText(content: string): string | undefined {
  const printed = status.exec(content)?.[1];
  return printed === undefined ? undefined : codeOfStatus(Number(printed));
}

export function errorText({ message, details }: RpcError): string {
  return details === undefined || message.includes(details) ? message : `${message}: ${details}`;
}

/** Printed also on successful runs, or in addition to the stream. */
export const noise: readonly RegExp[] = [
  /^\[session\/(?:create|query|load|resume|fork)\] /,
  /^\[STARTUP\] /,
  /^\[SYSTEM_ERROR\] Failed to publish available commands\b/,
  /^Error handling request \{/,
  /^ {2,}/,
  /^\}/,
];

/** Messages on stderr if it does not start at all. */
export const fixedStderr: readonly (readonly [RegExp, string])[] = [
  [/^error: (?:unknown option|unexpected argument|unrecognized)|^Unknown arguments?: /m, 'bad_flag'],
  [/^Gemini CLI is not running in a trusted directory\b/m, 'not_trusted'],
  [/^Invalid auth method selected\b|^Please set an Auth method\b/m, 'authentication_failed'],
];
