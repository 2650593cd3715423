import type { FailureWords } from './failures.ts';
import { english, quote, say, type Wording } from './wording.ts';

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

/** A server of the Agent Communication Protocol that did not do what it was asked; `message` and `detail` are in English. Tell them apart by `code`. */
export class AcpHttpFailure extends Error {
  override readonly name = 'AcpHttpFailure';
  readonly code: AcpHttpFailureCode;
  /** Why, and what to do next. */
  readonly detail: string;
  readonly words: FailureWords;

  /** The same may be answered later. */
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

/** `where` is method and address; never a header, which may hold a token. */
export const acpHttpFailures = {
  badAddress: (address: string) =>
    new AcpHttpFailure(
      'bad_address',
      say`This is no address of a server: ${address}`,
      say`It has to begin with http:// or https://. Correct it in the settings.`,
    ),

  secretInAddress: (origin: string) =>
    new AcpHttpFailure(
      'bad_address',
      say`The address of the agent server at ${origin} has a user name or a password in it.`,
      say`They would be shown wherever the address is. Take them out, and set a token instead.`,
    ),

  badHeader: (name: string) =>
    new AcpHttpFailure(
      'bad_header',
      say`This header cannot be sent to the agent server: ${name}`,
      say`Its name or its value has characters that a header cannot have. If it is the token, set it again.`,
    ),

  unreachable: (where: string, cause: unknown) =>
    new AcpHttpFailure(
      'unreachable',
      say`The agent server cannot be reached.`,
      say`${where}: ${reason(cause)}\nIs it running, and is the address in the settings right?`,
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
      say`The agent server sends us elsewhere.`,
      say`${where} → ${to}\nHeaders from the settings are not sent on. If that is the right address, set it in the settings.`,
    ),

  unauthorized: (where: string, status: number, said: string) =>
    new AcpHttpFailure(
      'unauthorized',
      say`The agent server does not let us in.`,
      said === ''
        ? say`${where}: HTTP ${status}\nSet the token again.`
        : say`${where}: HTTP ${status}, ${said}\nSet the token again.`,
    ),

  notFound: (where: string, said: string) =>
    new AcpHttpFailure(
      'not_found',
      said === '' ? say`The agent server does not have this.` : quote(said),
      say`${where}: HTTP 404\nThe agent, the run or the session may be gone; the address may lead to another server.`,
    ),

  refused: (where: string, status: number, said: string) =>
    new AcpHttpFailure(
      'refused',
      said === '' ? say`The agent server answered with HTTP ${status}.` : quote(said),
      say`${where}: HTTP ${status}\nThe server's log may say more.`,
      undefined,
      status >= 500 || status === 429,
    ),

  notTheProtocol: (where: string, what: string) =>
    new AcpHttpFailure(
      'not_the_protocol',
      say`This is no answer of the Agent Communication Protocol.`,
      say`${where}: ${what}\nThe address in the settings may lead to another kind of server, or to another version of one.`,
    ),

  /** `runId`: `null` where the server had not told it. */
  streamBroken: (runId: string | null, cause?: unknown) =>
    new AcpHttpFailure(
      'stream_broken',
      say`The connection to the agent server was lost before the run was over.`,
      say`${cause === undefined ? '' : `${reason(cause)}\n`}${runId === null ? say`Whether the run began is not known.` : say`Run ${runId} may go on at the server; its events were asked for, and did not tell of an end.`} What was received is kept.`,
      cause,
    ),

  tooLarge: (where: string, megabytes: number) =>
    new AcpHttpFailure(
      'too_large',
      say`The agent server sent more than ${megabytes} MB at once.`,
      say`${where}\nNothing of it was read. Ask the agent for less, or for a link to it.`,
    ),
} as const;
