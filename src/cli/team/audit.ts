import { readAudit } from '../../team/audit.ts';
import { verifyTeam } from '../../team/records/verifyTeam.ts';
import { withClient } from '../../team/database/connection.ts';
import { TeamError } from '../../team/errors.ts';
import { requireLogin } from '../../team/login.ts';
import { UsageError, type CliContext } from '../command.ts';
import { writeLines } from '../print/output.ts';
import { storeFolder } from '../run/engine.ts';

interface TeamAudit {
  /** `--store` as given. */
  readonly store: string | undefined;
  /** Epoch milliseconds. */
  readonly from: number;
  /** `undefined`: up to now. */
  readonly to: number | undefined;
}

/** Prints who did what in the team. @throws UsageError */
export async function printTeamAudit(context: CliContext, { store, from, to }: TeamAudit): Promise<number> {
  // The server's clock says when something happened, and may be ahead of this one.
  const period = { from: new Date(from), to: to === undefined ? null : new Date(to) };
  try {
    const login = await requireLogin(storeFolder(context, store), context.env);
    await withClient(login, async (client) => {
      for await (const row of readAudit(client, period)) await writeLines(context.stdout, [row]);
    });
    return 0;
  } catch (error) {
    if (TeamError.is(error)) throw new UsageError(error.message, error.next);
    throw error;
  }
}

/** Verifies the records of the team. Exit code 1: one was altered. @throws UsageError */
export async function printVerifiedTeam(context: CliContext, store: string | undefined): Promise<number> {
  try {
    const login = await requireLogin(storeFolder(context, store), context.env);
    return await withClient(login, async (client) => {
      let alteredCount = 0;
      for await (const row of verifyTeam(client)) {
        if (row.state === 'altered') alteredCount += 1;
        await writeLines(context.stdout, [row]);
      }
      return alteredCount === 0 ? 0 : 1;
    });
  } catch (error) {
    if (TeamError.is(error)) throw new UsageError(error.message, error.next);
    throw error;
  }
}
