import type { LaunchRequest } from './agentLauncher.ts';
import type { EngineDeps } from '../engineDeps.ts';
import { runId, sessionId, uuid } from '../ids.ts';
import { thisMachine } from '../process/identity/holder.ts';
import { ownIdentity } from '../process/identity/identity.ts';

/** Launch parameters to query an agent: no session and no record, but a lease like every process. */
export async function probeLaunch(
  { clock, randomHex, storeDir }: Pick<EngineDeps, 'clock' | 'randomHex' | 'storeDir'>,
  cwd: string,
): Promise<LaunchRequest> {
  const id = runId(randomHex);
  const at = new Date(clock()).toISOString();
  const owner = await ownIdentity();
  return {
    runId: id,
    cwd,
    prompt: '',
    options: {},
    limits: {},
    newSessionId: uuid(randomHex),
    interactive: false,
    earlierRuns: 0,
    runsFolder: storeDir,
    lease: { run_id: id, session_id: sessionId(randomHex), ...(await thisMachine()), at, owner },
  };
}
