import type { AgentOptions } from '../../agents/adapter.ts';
import { executorTypeSchema } from '../../model/session.ts';
import type { ResumeRequest, SessionHandle } from '../api.ts';
import type { Blueprint } from './load.ts';
import { findBlueprint, resumeRequest, type BlueprintUse } from './request.ts';

export interface GoOnDeps {
  readonly engine: { open(sessionId: string): Promise<SessionHandle> };
  /** Agents that are files, of a folder and of the user. */
  readonly blueprints: (folder: string) => Promise<readonly Blueprint[]>;
  readonly use: Pick<BlueprintUse, 'options' | 'environment' | 'input'>;
  /** Where a session works that does not say so. */
  readonly projectDir: string;
}

/** How a session goes on: with its blueprint as it is now, or without, where that is not there any more. */
export async function goOnRequest(
  sessionId: string,
  prompt: string,
  { engine, blueprints, use, projectDir }: GoOnDeps,
  choice: AgentOptions = {},
): Promise<ResumeRequest> {
  const handle = await engine.open(sessionId);
  const { agent_name: name, project_dir: cwd = projectDir, executor_type: executor } = handle.summary();
  handle.dispose();
  const found = name === undefined ? undefined : (await blueprints(cwd)).find((each) => each.name === name);
  if (found === undefined) {
    const type = executorTypeSchema.safeParse(executor).data ?? 'claude-code';
    return { prompt, options: { ...use.options(type), ...choice } };
  }
  const request = await resumeRequest(findBlueprint([found], found.name), { ...use, prompt, cwd });
  return { ...request, options: { ...request.options, ...choice } };
}
