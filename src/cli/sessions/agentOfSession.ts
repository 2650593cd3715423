import { EngineFailure } from '../../engine/failures/failures.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import { type CliContext, UsageError } from '../command.ts';
import { createEngine } from '../run/engine.ts';

export interface AgentOfSession {
  readonly type: ExecutorType | undefined;
  /** Profile id of an ACP agent. */
  readonly profile: string | undefined;
}

/** Agent of a session, so that `--program` works without `--agent` and `--profile`. @throws UsageError */
export async function agentOfSession(
  context: CliContext,
  store: string | undefined,
  id: string,
): Promise<AgentOfSession> {
  const engine = createEngine(context, { store });
  try {
    const handle = await engine.open(id);
    const { executor_type: type, executor_profile: profile } = handle.summary();
    handle.dispose();
    return { type, profile: type === 'acp' ? profile : undefined };
  } catch (error) {
    throw EngineFailure.is(error) ? new UsageError(error.message, error.detail) : error;
  } finally {
    await engine.dispose();
  }
}
