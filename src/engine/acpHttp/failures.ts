import type { FailureWords } from '../failures/failures.ts';
import { english, quote, say, type Wording } from '../failures/wording.ts';

export type AcpHttpFailureCode =
  | 'bad_address'
  | 'bad_header'
  | 'unreachable'
  | 'timed_out'
  | 'redirected'
  | 'unauthorized'
  | 'not_found'
  | 'refused'
  | 'not_the_protocol'
  | 'stream_broken'
  | 'too_large';

/** Failure of an Agent Communication Protocol server, in English. Check `code`, not the text. */
export class AcpHttpFailure extends Error {
  override readonly name = 'AcpHttpFailure';
  readonly code: AcpHttpFailureCode;
  /** Cause, and what to do next. */
  readonly detail: string;
  readonly words: FailureWords;

  /** A retry may succeed. */
  readonly passes: boolean;

  constructor(code: AcpHttpFailureCode, message: Wording, detail: Wording, cause?: unknown, passes = false) {
    super(english(message), cause === undefined ? undefined : { cause });
    this.code = code;
    this.detail = english(detail);
    this.words = { message, detail };
    this.passes = passes;
  }

  static is(error: unknown, code?: AcpHttpFailureCode): error is AcpHttpFailure {
    return error instanceof AcpHttpFailure && (code === undefined || error.code === code);
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? `${error.message}: ${cause.message}` : error.message;
}

/** `where`: method and URL, never a header, which may contain a token. */
export const acpHttpFailures = {
  badAddress: (address: string) =>
    new AcpHttpFailure(
      'bad_address',
      say`Not a valid server URL: ${address}`,
      say`The URL must begin with http:// or https://. Correct it in the settings.`,
    ),

  secretInAddress: (origin: string) =>
    new AcpHttpFailure(
      'bad_address',
      say`The URL of the agent server at ${origin} contains a user name or password.`,
      say`Vitrine would show them with the URL. Remove them and set a token instead.`,
    ),

  badHeader: (name: string) =>
    new AcpHttpFailure(
      'bad_header',
      say`This header cannot be sent to the agent server: ${name}`,
      say`Its name or value contains characters that are not valid in a header. If it is the token, set it again.`,
    ),

  unreachable: (where: string, cause: unknown) =>
    new AcpHttpFailure(
      'unreachable',
      say`The agent server cannot be reached.`,
      say`${where}: ${reason(cause)}\nCheck that the server is running and that its URL in the settings is correct.`,
      cause,
      true,
    ),

  timedOut: (where: string, seconds: number) =>
    new AcpHttpFailure(
      'timed_out',
      say`The agent server did not answer within ${seconds} seconds.`,
      say`${where}\nIt may be starting or busy. Try again.`,
      undefined,
      true,
    ),

  redirected: (where: string, to: string) =>
    new AcpHttpFailure(
      'redirected',
      say`The agent server redirected the request. Vitrine does not follow redirects.`,
      say`${where} → ${to}\nVitrine does not forward headers from the settings. If that URL is correct, use it in the settings.`,
    ),

  unauthorized: (where: string, status: number, body: string) =>
    new AcpHttpFailure(
      'unauthorized',
      say`The agent server rejected the credentials.`,
      body === ''
        ? say`${where}: HTTP ${status}\nSet the token again.`
        : say`${where}: HTTP ${status}, ${body}\nSet the token again.`,
    ),

  notFound: (where: string, body: string) =>
    new AcpHttpFailure(
      'not_found',
      body === '' ? say`The agent server returned HTTP 404 (not found).` : quote(body),
      say`${where}: HTTP 404\nThe agent, run or session may no longer exist, or the URL may point to another server.`,
    ),

  refused: (where: string, status: number, body: string) =>
    new AcpHttpFailure(
      'refused',
      body === '' ? say`The agent server returned HTTP ${status}.` : quote(body),
      say`${where}: HTTP ${status}\nSee the server’s log for details.`,
      undefined,
      status >= 500 || status === 429,
    ),

  notTheProtocol: (where: string, what: string) =>
    new AcpHttpFailure(
      'not_the_protocol',
      say`The response does not follow the Agent Communication Protocol.`,
      say`${where}: ${what}\nThe URL in the settings may point to another type or version of server.`,
    ),

  /** `runId`: `null` if the server has not sent it. */
  streamBroken: (runId: string | null, cause?: unknown) =>
    new AcpHttpFailure(
      'stream_broken',
      say`The connection to the agent server was lost before the run ended.`,
      say`${cause === undefined ? '' : `${reason(cause)}\n`}${runId === null ? say`Vitrine does not know whether the run started.` : say`Run ${runId} may still be running on the server. Its events did not include an end.`} Everything received was recorded.`,
      cause,
    ),

  tooLarge: (where: string, megabytes: number) =>
    new AcpHttpFailure(
      'too_large',
      say`The agent server sent more than ${megabytes} MB in one message.`,
      say`${where}\nVitrine read none of it. Ask the agent for less, or for a link to it.`,
    ),
} as const;
