import type { AcpHttpProfile } from '../../engine/api.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import { UsageError } from '../command.ts';

/** A server on the command line. Its URL identifies it when its session is resumed. */
export interface ServerChoice {
  readonly server: AcpHttpProfile;
  readonly profile: string;
  readonly token: string | undefined;
}

interface ServerValues {
  readonly url?: string | undefined;
  readonly 'server-agent'?: string | undefined;
  readonly 'token-env'?: string | undefined;
}

/** `undefined` if no server was given. Tokens are never arguments, which other users can see. @throws UsageError */
export function serverChoice(
  agent: ExecutorType | undefined,
  { url, 'server-agent': name, 'token-env': variable }: ServerValues,
  env: Readonly<Record<string, string | undefined>>,
): ServerChoice | undefined {
  if (url === undefined) {
    if (agent === 'acp-http') throw new UsageError('--url is missing.', 'Specify the server URL.');
    const optionWithoutServer =
      name !== undefined ? '--server-agent' : variable !== undefined ? '--token-env' : undefined;
    if (optionWithoutServer !== undefined)
      throw new UsageError(`${optionWithoutServer} needs --url.`, 'Specify the server URL.');
    return undefined;
  }
  if (agent !== undefined && agent !== 'acp-http')
    throw new UsageError('--url applies only to --agent acp-http.', 'Remove one of them.');
  const token = variable === undefined ? undefined : env[variable];
  if (variable !== undefined && (token === undefined || token === ''))
    throw new UsageError(`Environment variable not set: ${variable} (--token-env).`, 'Set it to the token.');
  const label = URL.canParse(url) ? new URL(url).host : url;
  const id = url.replace(/\/+$/, '');
  return { server: { id, label, baseUrl: url }, profile: name === undefined ? id : `${id}/${name}`, token };
}
