import type { AgentOptions } from '../../agents/adapter.ts';
import type { Agent } from '../../model/agent/agent.ts';
import { executorTypeSchema } from '../../model/session/session.ts';
import type { ChildServer, ResumeRequest, SessionHandle } from '../api.ts';
import type { Blueprint } from './load.ts';
import { findBlueprint, resumeRequest, type BlueprintUse } from './request.ts';

export interface ResumeBlueprintDeps {
  readonly engine: {
    open(sessionId: string): Promise<Pick<SessionHandle, 'summary' | 'dispose'>>;
    readonly children?: Pick<ChildServer, 'checkOwn'> | undefined;
  };
  /** Agent files of a folder and of the user. */
  readonly blueprints: (folder: string) => Promise<readonly Blueprint[]>;
  readonly use: Pick<BlueprintUse, 'options' | 'environment' | 'input'>;
  /** Folder of sessions that do not name one. */
  readonly projectDir: string;
  /**
   * Throws if the agent may not run with its current file. `agent` is `null` if the file was deleted. Omit it for runs that no
   * user requested: the file must then be the version that the user last saw.
   */
  readonly assertPermitted?: (agent: Agent | null) => Promise<void>;
}

/**
 * Builds the resume request with the current agent file, or without one if it was deleted.
 * @throws EngineFailure if the agent file is invalid or not permitted
 */
export async function blueprintResumeRequest(
  sessionId: string,
  prompt: string,
  { engine, blueprints, use, projectDir, assertPermitted }: ResumeBlueprintDeps,
  choice: AgentOptions = {},
): Promise<ResumeRequest> {
  const handle = await engine.open(sessionId);
  const session = handle.summary();
  handle.dispose();
  const { agent_name: name, project_dir: cwd = projectDir, executor_type: executor } = session;
  const found = name === undefined ? undefined : (await blueprints(cwd)).find((blueprint) => blueprint.name === name);
  const agent = found === undefined ? null : findBlueprint([found], found.name);
  await (assertPermitted ?? ((limits) => engine.children?.checkOwn(session, limits)))(agent);
  // A session keeps its executor even if the agent file now names another one.
  const type = executorTypeSchema.safeParse(executor).data ?? 'claude-code';
  const options = use.options(type, cwd);
  if (agent === null) return { prompt, options: { ...options, ...choice } };
  const request = await resumeRequest(agent, { ...use, options: () => options, prompt, cwd });
  return { ...request, options: { ...request.options, ...choice } };
}
