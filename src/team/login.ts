import { parseAddress, parseAddressWithPassword } from './database/address.ts';
import type { Login } from './database/connection.ts';
import { findPassword } from './database/passwordFile.ts';
import { TeamError } from './errors.ts';
import { readTeam } from './teamFile.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The login for an address that the user named. @throws TeamError `url` */
export async function loginAt(url: string, environment: Environment): Promise<Login> {
  const address = parseAddress(url);
  return { address, password: await findPassword(address, environment) };
}

/**
 * The login in VITRINE_TEAM_URL, which may have a password because Vitrine does not save it. @throws TeamError `url`
 */
export async function loginOfEnvironment(environment: Environment): Promise<Login | null> {
  const { VITRINE_TEAM_URL: url } = environment;
  if (url === undefined || url === '') return null;
  const { address, password } = parseAddressWithPassword(url);
  return { address, password: password ?? (await findPassword(address, environment)) };
}

/** The login for the team of the store; `null`: it has joined none. @throws TeamError */
export async function loginOfStore(storeDir: string, environment: Environment): Promise<Login | null> {
  const address = await readTeam(storeDir);
  if (address === null) return null;
  const { VITRINE_TEAM_URL: url } = environment;
  const ofVariable = url === undefined || url === '' ? undefined : parseAddressWithPassword(url);
  const isSame = ofVariable?.address.host === address.host && ofVariable.address.user === address.user;
  return {
    address,
    password: (isSame ? ofVariable.password : undefined) ?? (await findPassword(address, environment)),
  };
}

/** @throws TeamError */
export async function requireLogin(storeDir: string, environment: Environment): Promise<Login> {
  const login = await loginOfStore(storeDir, environment);
  if (login === null)
    throw new TeamError('schema', 'This store does not belong to a team.', 'Join one: "vitrine team join URL".');
  return login;
}
