import path from 'node:path';
import type { RecordedRun } from '../../formats/record.ts';
import type { Session } from '../../model/session/session.ts';
import type { ChildServer, ResumeRequest } from '../api.ts';
import type { EngineDeps } from '../engineDeps.ts';
import { CallbackStore } from './callbacks/callbackStore.ts';
import { Children } from './children.ts';
import type { ChildEngine } from './engine.ts';
import { ListedAgents } from './listedAgents.ts';
import { ChildMcpServer } from './mcpServer.ts';
import type { CallbackSenderDeps } from './callbacks/callbackSender.ts';

/** The MCP server through which agents of this engine start others. It does not listen until a run needs it. */
export function childServer(
  engine: ChildEngine,
  { blueprints, childRuns, storeDir, clock, log, decide }: EngineDeps & Pick<CallbackSenderDeps, 'decide'>,
): ChildServer | undefined {
  if (blueprints === undefined) return undefined;
  const { load, tags = () => [], ...access } = blueprints;
  const callbacks = new CallbackStore(storeDir, log);
  const listedAgents = new ListedAgents({ load, log, folderOf: (id) => path.dirname(engine.recordPath(id)) });
  const deps = { ...access, blueprints: load, tags, clock, log, callbacks, decide, listedAgents, runs: childRuns };
  return new ChildMcpServer(new Children(engine, deps), log);
}

/**
 * Adds the server to the request if the blueprint of the run permits its agent to start others. Reports every run to
 * it.
 */
export async function withChildren<R extends Pick<ResumeRequest, 'options' | 'blueprint'>>(
  server: ChildServer | undefined,
  request: R,
  session: Session,
  run: Pick<RecordedRun, 'run_id' | 'prompt_origin'>,
): Promise<R> {
  if (server === undefined) return request;
  await server.rememberListedAgents(session, run.prompt_origin ?? 'human');
  const { children } = request.blueprint ?? {};
  if (children === undefined) return request;
  const vitrine = await server.open(session, run.run_id, children);
  const mcpServers = { ...request.options?.mcpServers, vitrine };
  return { ...request, options: { ...request.options, mcpServers, trustedServers: ['vitrine'] } };
}
