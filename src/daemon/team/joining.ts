import { teamRefused } from '../../engine/failures/teamFailures.ts';
import { formatAddress, parseAddress } from '../../team/database/address.ts';
import { withClient, type Login } from '../../team/database/connection.ts';
import { TeamError } from '../../team/errors.ts';
import { loginAt } from '../../team/login.ts';
import { joinTeam, leaveTeam, type MemberKind } from '../../team/membership.ts';
import { removeTeam, writeTeam } from '../../team/teamFile.ts';

interface Membership {
  readonly url: string;
  readonly kind: MemberKind;
}

interface JoinRequest {
  readonly url: string;
  /** Absent: that of the environment or the password file. */
  readonly password?: string;
}

/** Makes the store's user a member, and saves the address. @throws EngineFailure `team_refused` */
export async function join(
  storeDir: string,
  { url, password }: JoinRequest,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Membership> {
  return translateRefusal(async () => {
    const login = password === undefined ? await loginAt(url, environment) : { address: parseAddress(url), password };
    const kind = await withClient(login, joinTeam);
    await writeTeam(storeDir, login.address);
    return { url: formatAddress(login.address), kind };
  });
}

/** Ends the membership, and removes what the store knows of the team. Returns how many shared sessions were deleted. */
export async function leave(login: Login, deleteMine: boolean): Promise<number> {
  return translateRefusal(() => withClient(login, (client) => leaveTeam(client, deleteMine)));
}

export const forget = removeTeam;

async function translateRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!TeamError.is(error)) throw error;
    throw teamRefused(error.code, error.message, error.next, error);
  }
}
