import { errorCode, errorText } from '../../agents/acp/errors.ts';
import { loginAdvice, protocolVersion, type Greeting } from '../../agents/acp/opening.ts';
import { rpcError, type RpcError } from '../../agents/acp/wire.ts';
import { UnansweredError } from './peer.ts';

/** The request cannot be fulfilled, for a reason that is not a protocol error. */
export class ImpossibleError extends Error {
  override readonly name = 'ImpossibleError';
}

/** @throws ImpossibleError */
export function assertProtocolVersion({ version }: Greeting): void {
  if (version === protocolVersion) return;
  const versionText = version === null ? 'does not say which version' : `uses version ${version}`;
  throw new ImpossibleError(
    `it ${versionText} of the Agent Client Protocol, but Vitrine supports version ${protocolVersion}. Install a version of the agent that supports it, or update Vitrine.`,
  );
}

/** What went wrong and what to do. `program`: command as the user would type it. */
export function unansweredReason(
  error: unknown,
  { preset, logins }: Pick<Greeting, 'preset' | 'logins'>,
  program: string,
): string {
  if (error instanceof ImpossibleError) return error.message;
  if (UnansweredError.is(error)) {
    return `${error.message}. Start it once in a terminal (${program}); it may be waiting for a login.`;
  }
  if (isLoginError(error)) return `you are not logged in to it. ${loginAdvice({ preset, logins }, program)}`;
  const answered = answeredError(error);
  if (answered !== undefined) return `it returned an error: ${errorText(answered)}`;
  return error instanceof Error ? error.message : String(error);
}

export function errorCodeOfAnswer(error: unknown): string | undefined {
  const answered = answeredError(error);
  return answered === undefined ? undefined : errorCode(answered);
}

export function isLoginError(error: unknown): boolean {
  return errorCodeOfAnswer(error) === 'authentication_failed';
}

/** The agent's error response, if that is what went wrong. */
function answeredError(error: unknown): RpcError | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return undefined;
  const data = 'data' in error ? error.data : undefined;
  return rpcError({ code: error.code, message: error.message, ...(data !== undefined && { data }) });
}
