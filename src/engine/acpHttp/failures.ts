import type { FailureWords } from '../failures/failures.ts';
import { toEnglish, quote, worded, type Wording } from '../failures/wording.ts';

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
  readonly isTransient: boolean;

  constructor(code: AcpHttpFailureCode, message: Wording, detail: Wording, cause?: unknown, passes = false) {
    super(toEnglish(message), cause === undefined ? undefined : { cause });
    this.code = code;
    this.detail = toEnglish(detail);
    this.words = { message, detail };
    this.isTransient = passes;
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
      worded`Not a valid server URL: ${address}`,
      worded`The URL must begin with http:// or https://. Correct it in the settings.`,
    ),

  secretInAddress: (origin: string) =>
    new AcpHttpFailure(
      'bad_address',
      worded`The URL of the agent server at ${origin} contains a user name or password.`,
      worded`They would be visible wherever Vitrine shows the URL. Remove them and set a token instead.`,
    ),

  badHeader: (name: string) =>
    new AcpHttpFailure(
      'bad_header',
      worded`This header cannot be sent to the agent server: ${name}`,
      worded`Its name or value contains characters that are not valid in a header. If it is the token, set it again.`,
    ),

  unreachable: (where: string, cause: unknown) =>
    new AcpHttpFailure(
      'unreachable',
      worded`The agent server cannot be reached.`,
      worded`${where}: ${reason(cause)}\nCheck that the server is running and that its URL in the settings is correct.`,
      cause,
      true,
    ),

  timedOut: (where: string, seconds: number) =>
    new AcpHttpFailure(
      'timed_out',
      worded`The agent server did not respond within ${seconds} seconds.`,
      worded`${where}\nIt may be starting or busy. Try again.`,
      undefined,
      true,
    ),

  redirected: (where: string, to: string) =>
    new AcpHttpFailure(
      'redirected',
      worded`The agent server redirected the request. Vitrine does not follow redirects.`,
      worded`${where} → ${to}\nHeaders from your settings are not sent to another server. If the second URL is correct, use it in the settings.`,
    ),

  unauthorized: (where: string, status: number, body: string) =>
    new AcpHttpFailure(
      'unauthorized',
      worded`The agent server rejected the credentials.`,
      body === ''
        ? worded`${where}: HTTP ${status}\nSet the token again.`
        : worded`${where}: HTTP ${status}, ${body}\nSet the token again.`,
    ),

  notFound: (where: string, body: string) =>
    new AcpHttpFailure(
      'not_found',
      body === '' ? worded`The agent server returned HTTP 404 (not found).` : quote(body),
      worded`${where}: HTTP 404\nThe agent, run or session may no longer exist, or the URL may point to another server.`,
    ),

  refused: (where: string, status: number, body: string) =>
    new AcpHttpFailure(
      'refused',
      body === '' ? worded`The agent server returned HTTP ${status}.` : quote(body),
      worded`${where}: HTTP ${status}\nSee the server’s log for details.`,
      undefined,
      status >= 500 || status === 429,
    ),

  notTheProtocol: (where: string, what: string) =>
    new AcpHttpFailure(
      'not_the_protocol',
      worded`The response does not follow the Agent Communication Protocol.`,
      worded`${where}: ${what}\nThe URL in the settings may point to another type or version of server.`,
    ),

  /** `runId`: `null` if the server has not sent it. */
  streamBroken: (runId: string | null, cause?: unknown) =>
    new AcpHttpFailure(
      'stream_broken',
      worded`The connection to the agent server was lost before the run ended.`,
      worded`${cause === undefined ? '' : `${reason(cause)}\n`}${runId === null ? worded`Vitrine does not know whether the run started.` : worded`Run ${runId} may still be running on the server, which did not report its end.`} Everything received was recorded.`,
      cause,
    ),

  tooLarge: (where: string, megabytes: number) =>
    new AcpHttpFailure(
      'too_large',
      worded`The agent server sent more than ${megabytes} MB in one message.`,
      worded`${where}\nVitrine did not read the message. Ask the agent for less output, or for a link to it.`,
    ),
} as const;
