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
  /** Agents that are files, of a folder and of the user. */
  readonly blueprints: (folder: string) => Promise<readonly Blueprint[]>;
  readonly use: Pick<BlueprintUse, 'options' | 'environment' | 'input'>;
  /** Where a session works that does not say so. */
  readonly projectDir: string;
  /**
   * Throws where the agent of the session may not be used as its file is now; `null`: it has none any more. Absent: no one
   * asked for the run, and the agent has to be as a person saw it last.
   */
  readonly permit?: (agent: Agent | null) => Promise<void>;
}

/**
 * How a session continues: with the current agent file, or without one if it was deleted.
 * @throws EngineFailure where the blueprint cannot be used, or may not be by who asks
 */
export async function blueprintResumeRequest(
  sessionId: string,
  prompt: string,
  { engine, blueprints, use, projectDir, permit }: ResumeBlueprintDeps,
  choice: AgentOptions = {},
): Promise<ResumeRequest> {
  const handle = await engine.open(sessionId);
  const session = handle.summary();
  handle.dispose();
  const { agent_name: name, project_dir: cwd = projectDir, executor_type: executor } = session;
  const found = name === undefined ? undefined : (await blueprints(cwd)).find((each) => each.name === name);
  const agent = found === undefined ? null : findBlueprint([found], found.name);
  await (permit ?? ((each) => engine.children?.checkOwn(session, each)))(agent);
  // Whatever a file names by now, a session stays with what it was started with.
  const type = executorTypeSchema.safeParse(executor).data ?? 'claude-code';
  const options = use.options(type, cwd);
  if (agent === null) return { prompt, options: { ...options, ...choice } };
  const request = await resumeRequest(agent, { ...use, options: () => options, prompt, cwd });
  return { ...request, options: { ...request.options, ...choice } };
}
